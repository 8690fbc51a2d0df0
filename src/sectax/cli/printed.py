"""Marks an error that comes after the document was printed. A file of its own, since `main` imports nothing heavy."""


class Printed(Exception):
    """The cause of such an error: stdout has what it is to have."""
