"""Runs that never happened, passed through the code that judges real ones: how often is a verdict wrong?"""
