"""Engines run blocks, locally or on a cluster."""
