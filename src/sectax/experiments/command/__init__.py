"""Compare any two commands."""

from sectax.experiments.command.experiment import CommandExperiment

EXPERIMENT = CommandExperiment()
