"""Costs by commit: whether a change costs more than a limit allows, and how a cost changed over time."""
