"""Which signature algorithm for a JWT, in my language? Signing and verifying against RS256 with 2048 bits."""

from sectax.experiments.jwt.experiment import JwtExperiment

EXPERIMENT = JwtExperiment()
