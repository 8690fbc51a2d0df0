"""Processes on this machine: start, communication, telemetry."""
