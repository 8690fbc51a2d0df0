"""A test of sectax on this machine: measure costs that are known."""

from sectax.experiments.honesty.experiment import HonestyExperiment

EXPERIMENT = HonestyExperiment()
