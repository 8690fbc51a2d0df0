"""Parts to install or build before a subject can run, and their cache."""
