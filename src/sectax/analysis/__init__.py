"""Compute findings from observations. Reads no files, subjects or clocks, so old runs can be judged again."""
