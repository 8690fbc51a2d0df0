"""What every probe in Python repeats: the conversation of `probes/PROTOCOL.md`, clocks and timed loops."""
