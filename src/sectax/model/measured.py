"""What the finished blocks of a run hold, summarised for analysis: one value per block, treatment and metric."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sectax.model.environment import BOOT, LOCAL_HOST, Environment
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Witness


@dataclass(frozen=True)
class Failure:
    """A treatment that failed, or was skipped, in one block; the pilot is block 0."""

    block: int
    treatment: str
    stage: str
    state: str
    reason: str
    hint: str = ""


@dataclass(frozen=True)
class BatchStatistics:
    """Of all counted batches of one treatment: how many, the shortest in seconds, and the share that repeats a value.

    `step_s` is the smallest difference between two different batch times: the clock's step as the data show it.
    """

    batches: int
    operations: int
    shortest_s: float
    duplicate_share: float
    step_s: float | None = None


class BatchShape(NamedTuple):
    """How the counted batches of one treatment in one block lie, in logs of the time of one operation.

    Attributes:
        batches: how many.
        mean: of the logs.
        first_excess: the first batch above the median of the others; `first_rank` its place among all of them, in
            (0, 1), where 1/2 is the middle.
        drift: the change from the first to the last batch, by a straight line.
        order: the change from the first to the last place in a round, by a straight line; None where there is one.
        slow_share, separation: cut in two where that explains most, the share of the slow part, and how many standard
            deviations (within the parts) lie between their means. A normal sample is cut at about 2.7.
    """

    batches: int
    mean: float
    first_excess: float
    first_rank: float
    drift: float
    order: float | None
    slow_share: float
    separation: float


class Visited(NamedTuple):
    """How the record says that one treatment was measured in one finished block, beside what came of it.

    Attributes:
        batches, operations, elapsed_s: number of its batches, and over all of them the operations and the seconds that
            passed; 0 where the run has no batches.
        open_s: what it took to make it ready; None where it never was.
    """

    batches: int = 0
    operations: int = 0
    elapsed_s: float = 0.0
    open_s: float | None = None


@dataclass(frozen=True)
class BlockRecord:
    """A finished block: how long it took, how every treatment was measured in it, and on which host."""

    seconds: float
    visited: Mapping[str, Visited]
    host: str = LOCAL_HOST


@dataclass(frozen=True)
class Measured:
    """A run as the analysis sees it.

    Attributes:
        blocks: numbers of the finished blocks, in order.
        values: metric -> treatment -> block -> the block's value in the metric's unit.
        counts: metric -> treatment -> number of observations in all.
        visited: treatment -> the finished blocks in which it was to be measured.
        failures: what failed or was skipped, in finished blocks and in the pilot.
        witnesses: treatment -> witness -> every different value that was seen, in order of appearance.
        batches: treatment -> statistics of its counted batches.
        shapes: treatment -> block -> how its batches lie; nothing for blocks with too few of them.
        telemetry: treatment -> name -> total over its counted batches.
        block_s: about how long one block took of late, in seconds.
        blocks_s: how long all of them took.
        state: running, finished, interrupted.
        sessions: the environment of every session, in order.
        notes: what the run itself had to say, in order.
        samples: name of observations -> treatment -> block -> every one of them, in ascending order and per operation;
            of those that a metric takes the tail of.
        record: how every finished block was made, by number.
    """

    run_id: str
    started: str
    state: str
    plan: Plan
    calibrated: Calibrated | None
    blocks: tuple[int, ...]
    values: dict[str, dict[str, dict[int, float]]]
    counts: dict[str, dict[str, int]]
    visited: dict[str, tuple[int, ...]]
    failures: tuple[Failure, ...]
    witnesses: dict[str, dict[str, tuple[Witness, ...]]]
    batches: dict[str, BatchStatistics]
    telemetry: dict[str, dict[str, float]]
    sessions: tuple[Environment, ...]
    block_s: float | None = None
    blocks_s: float | None = None
    notes: tuple[str, ...] = field(default=())
    shapes: dict[str, dict[int, BatchShape]] = field(default_factory=dict)
    samples: dict[str, dict[str, dict[int, array[float]]]] = field(default_factory=dict)
    record: dict[int, BlockRecord] = field(default_factory=dict)

    @property
    def hosts(self) -> dict[str, tuple[int, ...]]:
        """The finished blocks of every host that has one, in order; the hosts by name."""
        of_host: dict[str, list[int]] = {}
        for block in self.blocks:
            of_host.setdefault(self.record[block].host if block in self.record else LOCAL_HOST, []).append(block)
        return {host: tuple(of_host[host]) for host in sorted(of_host)}

    @property
    def identity(self) -> dict[str, str]:
        """What the hosts and the software of the latest session are; empty where none is recorded."""
        return self.sessions[-1].whole_identity() if self.sessions else {}

    @property
    def revision(self) -> dict[str, str]:
        """What code was measured, and in which job: whoever goes on with a run may have another commit checked out."""
        return self.sessions[0].revision() if self.sessions else {}

    def circumstances(self, prefix: str) -> tuple[str, ...]:
        """Those of all sessions whose names begin so, in order."""
        return tuple(
            text for session in self.sessions for name, text in session.circumstances.items() if name.startswith(prefix)
        )

    def processor(self, host: str) -> str:
        """The processor of a host by its model; empty where that is not known."""
        for session in reversed(self.sessions):
            if host in session.hosts:
                return session.hosts[host].identity.get("host.cpu_model", "")
        return self.sessions[-1].identity.get("host.cpu_model", "") if self.sessions else ""

    @property
    def machines(self) -> dict[str, tuple[int, ...]]:
        """The same with one entry for hosts that are workers of one machine, by the name of the first."""
        first: dict[str, str] = {}
        blocks: dict[str, list[int]] = {}
        for host, own in self.hosts.items():
            blocks.setdefault(first.setdefault(self._boot(host), host), []).extend(own)
        return {host: tuple(sorted(own)) for host, own in blocks.items()}

    def _boot(self, host: str) -> str:
        """What a host's kernel drew when it started, or its name where that is not known."""
        circumstances = (
            session.hosts[host].circumstances for session in reversed(self.sessions) if host in session.hosts
        )
        return next((facts[BOOT] for facts in circumstances if BOOT in facts), host)
