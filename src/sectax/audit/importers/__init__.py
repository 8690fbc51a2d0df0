"""Other people's numbers as figures: one importer to a file, from text alone, listed in `registry`.

An importer says what its source tells and leaves everything else None. Where one format tells the same measurement
twice (seconds and their reciprocal), the more precise of the two is taken.
"""
