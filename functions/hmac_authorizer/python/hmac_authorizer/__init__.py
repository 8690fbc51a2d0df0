"""Checks that an event was signed with the shared key, and that what it carries has the agreed form."""
