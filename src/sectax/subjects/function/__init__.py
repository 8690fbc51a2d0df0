"""Lambda functions as subjects: deployed at a memory size, invoked, timed by the service itself, deleted."""

from sectax.subjects.function.endpoints import AWS, LOCAL, LOCAL_ROLE
from sectax.subjects.function.spec import FunctionSpec

__all__ = ["AWS", "LOCAL", "LOCAL_ROLE", "FunctionSpec"]
