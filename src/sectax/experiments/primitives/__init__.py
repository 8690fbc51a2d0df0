"""Which hash, MAC, cipher, key agreement or password hash, in my language, for my size of message?"""

from sectax.experiments.primitives.experiment import PrimitivesExperiment

EXPERIMENT = PrimitivesExperiment()
