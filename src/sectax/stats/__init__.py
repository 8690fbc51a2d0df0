"""Statistics as pure functions on arrays: no file, no clock, no random number that was not handed in."""
