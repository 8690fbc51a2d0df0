"""Reads secrets in one of several ways, and says how long each reading took."""
