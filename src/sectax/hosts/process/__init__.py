"""Plain processes on this machine: starting them, talking to them, reading what the kernel knows of them."""
