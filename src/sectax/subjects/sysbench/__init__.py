"""sysbench on any host: its tests by fixed counts, and a strict reader of what it prints."""

from sectax.subjects.sysbench.output import Result, UnknownOutput, read_result
from sectax.subjects.sysbench.subject import SysbenchSpec
from sectax.subjects.sysbench.tests import TESTS, Test

__all__ = ["TESTS", "Result", "SysbenchSpec", "Test", "UnknownOutput", "read_result"]
