"""Statistics as pure functions on arrays."""
