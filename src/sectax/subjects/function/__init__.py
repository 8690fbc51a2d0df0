"""Lambda functions as subjects: deployed at a memory size, invoked, timed by the service itself, deleted."""

from sectax.subjects.function.spec import AWS, LOCAL, FunctionSpec

__all__ = ["AWS", "LOCAL", "FunctionSpec"]
