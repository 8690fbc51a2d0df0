"""The cost of message authentication in a function, and its events."""
