"""Lambda functions as subjects: deployed at a memory size, invoked, timed by the service itself, deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sectax.subjects.function.function import AWS, EMPTY_EVENT, LOCAL, LOCAL_ROLE, Function

if TYPE_CHECKING:
    from sectax.subjects.function.subject import FunctionSubject

__all__ = ["AWS", "EMPTY_EVENT", "LOCAL", "LOCAL_ROLE", "FunctionSpec"]


@dataclass(frozen=True)
class FunctionSpec(Function):
    """A function that is to be measured. Its attributes are those of `Function`."""

    def subject(self) -> FunctionSubject:
        # A plan is made without AWS's client.
        from sectax.subjects.function.subject import FunctionSubject

        return FunctionSubject(self)
