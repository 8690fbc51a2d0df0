"""`python -m sectax`."""

from sectax.cli.main import main

main()
