"""Commands: they read the command line, call the rooms below, and print what these return."""
