"""What must be installed or built before a subject can run, and the cache of it."""
