"""Findings as text: reports format the results of the analysis and compute nothing."""
