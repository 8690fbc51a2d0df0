"""A busy machine on purpose: work that competes with a measurement, bounded in time, that leaves nothing behind.

    python -m benchmarks.load bursts --workers 6 --seconds 60

or, around a measurement, `with Load("bursts", workers=6): …`.
"""

from benchmarks.load.generator import Load

__all__ = ["Load"]
