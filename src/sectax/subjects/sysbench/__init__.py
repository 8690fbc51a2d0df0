"""Tests on any host: sysbench's by fixed counts, those of a probe of our own, and strict readers of what they print."""
