"""What does message authentication cost in a function? Here is the scheme, and the events that it signs."""
