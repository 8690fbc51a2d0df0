"""Advice from findings: the decision and its costs."""
