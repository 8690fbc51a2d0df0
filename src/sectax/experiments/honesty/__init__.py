"""Does sectax tell the truth on this machine? Costs that are known beforehand, measured as if they were not."""

from sectax.experiments.honesty.experiment import HonestyExperiment

EXPERIMENT = HonestyExperiment()
