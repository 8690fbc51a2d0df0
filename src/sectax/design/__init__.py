"""The plan of a run: the matrix of treatments, the order of visits, the size of batches. Pure functions."""
