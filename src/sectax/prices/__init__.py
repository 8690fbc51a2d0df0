"""Dated prices, and the bill that they make. It knows no experiment: usages come in by the names of their items."""
