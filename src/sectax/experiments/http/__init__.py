"""Compare any two URLs."""
