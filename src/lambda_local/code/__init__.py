"""Uploaded archives: checked, unpacked, and stored while the service runs."""
