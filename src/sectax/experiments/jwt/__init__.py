"""Signature algorithms for JWTs in each language, compared with RS256 of 2048 bits."""

from sectax.experiments.jwt.experiment import JwtExperiment

EXPERIMENT = JwtExperiment()
