"""Defects of every kind, planted into healthy outputs of each format."""
