"""Hashes, MACs, ciphers, key agreements and password hashes."""

from sectax.experiments.primitives.experiment import PrimitivesExperiment

EXPERIMENT = PrimitivesExperiment()
