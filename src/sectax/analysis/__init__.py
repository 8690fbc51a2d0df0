"""Observations in, findings out. Knows no subject, no file and no clock, so an old run can be judged again."""
