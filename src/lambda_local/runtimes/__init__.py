"""The runtime clients that run functions."""
