"""Signature algorithms for JWTs in each language, against RS256."""

from sectax.experiments.jwt.experiment import JwtExperiment

EXPERIMENT = JwtExperiment()
