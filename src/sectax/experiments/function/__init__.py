"""Any two functions of AWS Lambda: the door for everyone's own control in a function."""

from sectax.experiments.function.experiment import FunctionExperiment

EXPERIMENT = FunctionExperiment()
