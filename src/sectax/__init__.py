"""sectax: what does a security control cost?"""

__version__ = "0.1.0"
