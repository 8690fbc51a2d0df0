"""Lambda functions as subjects: deployed at a memory size, invoked, timed by the service itself, deleted.

Here is a function as data: its code and configuration, what it is asked, how fast, and what it must answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sectax.model.subject import Referee

if TYPE_CHECKING:
    from sectax.subjects.function.services import Service
    from sectax.subjects.function.subject import FunctionSubject


# Where functions can run; anything else is the address of a Lambda.
LOCAL = "local"  # sectax's own local Lambda
AWS = None  # no endpoint: AWS's client then speaks to AWS itself
LOCAL_ROLE = "arn:aws:iam::000000000000:role/local"


EMPTY_EVENT = b"{}"


@dataclass(frozen=True)
class FunctionSpec:
    """How a function is deployed and invoked: data, and the service that it is deployed to.

    Attributes:
        service: the Lambda, which must be open while the subject lives.
        name: of the treatment, for messages and in the function's own name.
        code: path of a zip, or of a folder that is packed into one.
        runtime, handler, memory_mb, timeout_s: as CreateFunction has them; MB and whole seconds.
        environment: its variables. May hold secrets: they are never shown.
        layers: paths of zips or folders, published once per service, or ARNs of layer versions.
        events: JSON, or paths of files that hold it. Invocations take them by turns.
        gap_s: seconds at least from its answer to its next event: 0 is back to back.
        role: ARN of the execution role; the local Lambda takes any.
        expected: JSON that every answer must be equal to; None where it may be anything but an error.
        referee: judges every answer; its genuine and tampered artefacts are events, and a tampered one is refused by
            an error or an answer that does not pass.
        parts_in: the name of a JSON object in every answer that holds nanoseconds as `part_ns`: each becomes an
            observation named `part`, and the rest is judged as the answer. Empty where there is none.
        counts_first: whether the first invocation is also reported among all others, as `invocation`: what somebody
            sees who does not treat cold starts separately. The referee then waits until `close`, so that nothing comes
            between them.
        deadline_s: seconds that a call may take, besides the time that the function has.
    """

    name: str
    code: str
    runtime: str
    handler: str
    memory_mb: int = 1769
    timeout_s: int = 60
    environment: dict[str, str] = field(default_factory=dict, repr=False)
    layers: tuple[str, ...] = ()
    events: tuple[bytes | str, ...] = field(default=(EMPTY_EVENT,), repr=False)
    gap_s: float = 0.0
    role: str = LOCAL_ROLE
    expected: str | None = field(default=None, repr=False)
    referee: Referee | None = field(default=None, repr=False)
    parts_in: str = ""
    counts_first: bool = False
    deadline_s: float = 30.0
    service: Service = field(kw_only=True, repr=False)

    def subject(self) -> FunctionSubject:
        # A plan is made without AWS's client.
        from sectax.subjects.function.subject import FunctionSubject

        return FunctionSubject(self)
