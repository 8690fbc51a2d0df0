"""Probes as subjects: programs that time themselves, in any language."""
