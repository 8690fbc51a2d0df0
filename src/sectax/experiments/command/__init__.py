"""Any two commands: the door for everyone's own control."""

from sectax.experiments.command.experiment import CommandExperiment

EXPERIMENT = CommandExperiment()
