"""Whole commands as subjects: what they cost in wall time, CPU time and memory, each execution a fresh process."""

NULL = "null"
INHERIT = "inherit"
