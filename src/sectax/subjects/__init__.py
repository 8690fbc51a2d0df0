"""The systems that are measured: a probe process, a command."""
