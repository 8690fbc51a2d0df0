"""Tests on any host: sysbench's by fixed counts, those of a probe of our own, and strict readers of what they print."""

from sectax.subjects.sysbench.output import Result, UnknownOutput, read_result
from sectax.subjects.sysbench.subject import SysbenchSpec
from sectax.subjects.sysbench.tests import PROBE_TESTS, PUBLISHED_TESTS, SYSBENCH_TESTS, TESTS, Test

__all__ = [
    "PROBE_TESTS",
    "PUBLISHED_TESTS",
    "SYSBENCH_TESTS",
    "TESTS",
    "Result",
    "SysbenchSpec",
    "Test",
    "UnknownOutput",
    "read_result",
]
