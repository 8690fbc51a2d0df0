"""Hashes, MACs, ciphers, key agreements and password hashes, by language and message size."""

from sectax.experiments.primitives.experiment import PrimitivesExperiment

EXPERIMENT = PrimitivesExperiment()
