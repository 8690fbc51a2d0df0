"""A gate: limits on what a change may cost, what sessions said of them, and what becomes of the build."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from sectax.model.condition import ConditionAnswer


class GateOutcome(StrEnum):
    """What becomes of a gate, and so of a build."""

    PASSED = "passed"  # every limit is kept, beyond doubt
    EXCEEDED = "exceeded"  # beyond a limit, in every session
    UNKNOWN = "cannot say"
    NOTHING = "nothing measured"


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of limits, in TOML: `limits = ["slower>5%", "p99 > 12ms"]`."""

    limits: Annotated[tuple[str, ...], msgspec.Meta(description="One condition each, as of --fail-if (builds.md).")]
    schema: Literal["sectax/limits/1"] = "sectax/limits/1"


@dataclass(frozen=True)
class GateLimit:
    """What one session says of a limit.

    Attributes:
        limit: as somebody wrote it. answer: holds, ruled out or undecided.
        seen: the comparisons that decide it, with their effects in words. why: why it is undecided.
    """

    limit: str
    answer: ConditionAnswer
    seen: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class GateSession:
    """One session. *run* is its file, *blocks* how many there are, *machine* the processor that both sides ran on."""

    run: str
    blocks: int
    machine: str
    limits: tuple[GateLimit, ...]


@dataclass(frozen=True)
class Revision:
    """One side: its name as it was asked for, and its commit."""

    name: str
    commit: str


@dataclass(frozen=True)
class Gate:
    """The outcome. As JSON it is the document of `sectax gate`.

    Attributes:
        why: of an outcome that is no plain yes or no.
        baseline, treatment: None where a run was judged that is there already.
        false_alarms: the share of pushes that change nothing and come out red, at most, if the machine is as noisy in
            the second session as in the first; by limits in per cent alone, and None where there are none.
    """

    outcome: GateOutcome
    why: str
    baseline: Revision | None
    treatment: Revision | None
    sessions: tuple[GateSession, ...]
    false_alarms: float | None
    schema: Literal["sectax/gate/1"] = "sectax/gate/1"
