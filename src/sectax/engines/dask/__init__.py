"""Runs blocks on workers of a Dask cluster; Dask is imported here only."""
