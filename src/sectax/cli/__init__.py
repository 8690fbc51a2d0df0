"""Commands: they read words, call the workflow, and print what it gives."""
