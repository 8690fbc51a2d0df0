"""Shared by experiments on hosts."""
