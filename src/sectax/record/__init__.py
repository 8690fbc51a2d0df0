"""The run file: one SQLite file per run, appended after each trial, readable by anyone (docs/run-file.md)."""
