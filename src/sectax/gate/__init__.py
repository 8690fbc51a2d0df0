"""Costs by commit: whether a change costs too much, and the history."""
