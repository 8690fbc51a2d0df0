"""A run on the hosts of a Dask cluster, one block per host at a time."""
