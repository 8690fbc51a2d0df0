"""A run on the hosts of a Dask cluster: the same session, with one block per host at a time."""
