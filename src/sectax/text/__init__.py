"""Text from and for users: made printable, parsed; numbers and effects in words."""
