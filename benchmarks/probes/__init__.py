"""The probes beside programs that make the same calls without sectax."""
