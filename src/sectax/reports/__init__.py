"""Findings in, text out. A report formats what analysis found and computes nothing."""
