"""Shared by experiments with a client and a server."""
