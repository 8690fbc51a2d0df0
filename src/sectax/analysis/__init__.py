"""Compute findings from observations alone, so that old runs can be judged again."""
