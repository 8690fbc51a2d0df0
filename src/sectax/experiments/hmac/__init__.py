"""The cost of message authentication in a function: the scheme, and the events that it signs."""
