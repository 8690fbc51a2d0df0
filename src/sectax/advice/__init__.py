"""Advice from findings: the decision, and what it costs."""
