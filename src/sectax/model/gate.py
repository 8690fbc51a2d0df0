"""A gate: limits on the cost of a change, results of its sessions, the outcome."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from sectax.model.condition import ConditionAnswer


class GateOutcome(StrEnum):
    """Outcome of a gate, and so of a build."""

    PASSED = "passed"  # every limit is met, beyond doubt
    EXCEEDED = "exceeded"  # beyond a limit, in every session
    UNKNOWN = "undecided"
    NOTHING = "nothing measured"


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of limits, in TOML: `limits = ["slower>5%", "p99 > 12ms"]`."""

    limits: Annotated[tuple[str, ...], msgspec.Meta(description="One condition each, as for --fail-if (builds.md).")]
    schema: Literal["sectax/limits/1"] = "sectax/limits/1"


@dataclass(frozen=True)
class GateLimit:
    """Result of one limit in one session.

    Attributes:
        limit: the condition as written.
        answer: holds, ruled out or undecided.
        seen: the comparisons that decide it, with their effects in words.
        why: reason why it is undecided.
    """

    limit: str
    answer: ConditionAnswer
    seen: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class GateSession:
    """One session: run file, number of blocks, and processor of both sides."""

    run: str
    blocks: int
    machine: str
    limits: tuple[GateLimit, ...]


@dataclass(frozen=True)
class Revision:
    """One side: its revision as given, and its commit."""

    name: str
    commit: str


@dataclass(frozen=True)
class Gate:
    """Outcome of a gate; as JSON the document of `sectax gate`.

    Attributes:
        why: reason of an outcome other than pass or fail.
        baseline, treatment: None where an existing run was judged.
        false_alarms: upper bound on the share of unchanged pushes that fail, if the machine is as noisy in the second
            session as in the first; for limits in per cent only, and None where there are none.
    """

    outcome: GateOutcome
    why: str
    baseline: Revision | None
    treatment: Revision | None
    sessions: tuple[GateSession, ...]
    false_alarms: float | None
    schema: Literal["sectax/gate/2"] = "sectax/gate/2"
