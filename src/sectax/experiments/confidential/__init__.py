"""What does a confidential VM, or any other isolation, cost? sysbench over hosts."""

from sectax.experiments.confidential.experiment import ConfidentialExperiment

EXPERIMENT = ConfidentialExperiment()
