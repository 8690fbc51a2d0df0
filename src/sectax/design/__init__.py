"""The plan of a run: treatments, order of visits, batch sizes. Pure functions."""
