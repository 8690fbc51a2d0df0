"""The cost of confidential VMs and other isolation: tests on several hosts."""

from sectax.experiments.confidential.experiment import ConfidentialExperiment

EXPERIMENT = ConfidentialExperiment()
