"""Uploaded archives: judged, unpacked, and kept as long as the service runs."""
