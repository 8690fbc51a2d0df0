"""Reports: they format the results of the analysis and compute nothing."""
