"""Commands: read the command line, call the rooms below, print the results."""
