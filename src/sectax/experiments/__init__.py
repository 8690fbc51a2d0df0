"""Experiments, one folder each, and code that several of them share."""
