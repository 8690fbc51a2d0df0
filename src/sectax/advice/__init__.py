"""Findings in, decisions out: one file for each question. What a run says to whoever must decide."""
