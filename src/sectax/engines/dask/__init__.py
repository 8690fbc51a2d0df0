"""Runs blocks on the workers of a Dask cluster; Dask is imported in this folder only."""
