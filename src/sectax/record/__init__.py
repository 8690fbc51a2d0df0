"""The run file: an SQLite file appended to after each trial (docs/run-file.md)."""
