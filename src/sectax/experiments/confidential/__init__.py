"""The cost of confidential VMs and other isolation: the same tests on several hosts."""

from sectax.experiments.confidential.experiment import ConfidentialExperiment

EXPERIMENT = ConfidentialExperiment()
