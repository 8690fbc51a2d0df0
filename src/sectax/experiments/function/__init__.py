"""Comparison of any functions of AWS Lambda, for users' own controls."""

from sectax.experiments.function.experiment import FunctionExperiment

EXPERIMENT = FunctionExperiment()
