"""`python -m sectax`."""

from sectax.program import main

main()
