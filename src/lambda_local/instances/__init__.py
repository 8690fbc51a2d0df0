"""Instances of functions, the Runtime and Extensions APIs, and their measurement."""
