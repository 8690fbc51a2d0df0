"""Finished blocks of a run, one value per block, treatment and metric."""

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
    """A treatment that failed or was skipped in one block; the pilot is block 0."""

    block: int
    treatment: str
    stage: str
    state: str
    reason: str
    hint: str = ""


@dataclass(frozen=True)
class BatchStatistics:
    """Statistics of all counted batches of one treatment.

    `step_s` is the smallest difference between two different batch times: the clock's step as the data show it.
    """

    batches: int
    operations: int
    shortest_s: float
    duplicate_share: float
    step_s: float | None = None


class BatchShape(NamedTuple):
    """Distribution of a treatment's batches in one block, in log time per operation.

    Attributes:
        batches: number of batches.
        mean: mean of the logs.
        first_excess: the first batch above the median of the others.
        first_rank: rank of the first batch among all of them, in (0, 1); 1/2 is the middle.
        drift: change from the first to the last batch, by a straight line.
        order: change from the first to the last place in a round, by a straight line; None with one place.
        slow_share, separation: of the best cut into two parts, the share of the slow part and the distance of their
            means in standard deviations within the parts. A normal sample is cut at about 2.7.
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
    """How one treatment was measured in one finished block.

    Attributes:
        batches, operations, elapsed_s: number of its batches, and their operations and seconds in all; 0 where the run
            has no batches.
        open_s: seconds to make it ready; None where it never was.
    """

    batches: int = 0
    operations: int = 0
    elapsed_s: float = 0.0
    open_s: float | None = None


@dataclass(frozen=True)
class BlockRecord:
    """A finished block: its duration, its host, and how treatments were measured."""

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
        visited: treatment -> finished blocks in which it was planned.
        failures: failures and skips, in finished blocks and in the pilot.
        witnesses: treatment -> witness -> every different value, in order of appearance.
        batches: treatment -> statistics of its counted batches.
        shapes: treatment -> block -> distribution of its batches; no entry for blocks with too few of them.
        telemetry: treatment -> name -> total over its counted batches.
        block_s: duration of a recent block, in seconds.
        blocks_s: duration of all blocks, in seconds.
        state: running, finished, interrupted.
        sessions: environment of every session, in order.
        notes: notes of the run, in order.
        samples: observation name -> treatment -> block -> all observations per operation, in ascending order; only
            those of which a metric takes a tail.
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
    def blocks_pending(self) -> int:
        """Blocks missing from the plan's fixed number; until then there is no verdict.

        The whole error level is spent at the end.
        """
        return max(0, (self.plan.stopping.fixed_blocks or 0) - len(self.blocks))

    @property
    def hosts(self) -> dict[str, tuple[int, ...]]:
        """The finished blocks of every host that has one, in order."""
        of_host: dict[str, list[int]] = {}
        for block in self.blocks:
            of_host.setdefault(self.record[block].host if block in self.record else LOCAL_HOST, []).append(block)
        return {host: tuple(of_host[host]) for host in sorted(of_host)}

    @property
    def identity(self) -> dict[str, str]:
        """Hosts and software of the latest session; empty where none is recorded."""
        return self.sessions[-1].whole_identity() if self.sessions else {}

    @property
    def revision(self) -> dict[str, str]:
        """Commit and CI job of the first session; a resumed run may have another checkout."""
        return self.sessions[0].revision() if self.sessions else {}

    def circumstances(self, prefix: str) -> tuple[str, ...]:
        """Circumstances of all sessions whose names begin with this prefix, in order."""
        return tuple(
            text for session in self.sessions for name, text in session.circumstances.items() if name.startswith(prefix)
        )

    def processor(self, host: str) -> str:
        """CPU model of a host; empty where it is not known."""
        for session in reversed(self.sessions):
            if host in session.hosts:
                return session.hosts[host].identity.get("host.cpu_model", "")
        return self.sessions[-1].identity.get("host.cpu_model", "") if self.sessions else ""

    @property
    def machines(self) -> dict[str, tuple[int, ...]]:
        """As `hosts`, with workers of one machine merged under the name of the first."""
        first: dict[str, str] = {}
        blocks: dict[str, list[int]] = {}
        for host, own in self.hosts.items():
            blocks.setdefault(first.setdefault(self._boot(host), host), []).extend(own)
        return {host: tuple(sorted(own)) for host, own in blocks.items()}

    def _boot(self, host: str) -> str:
        """Boot id of a host, or its name where that is not known."""
        circumstances = (
            session.hosts[host].circumstances for session in reversed(self.sessions) if host in session.hosts
        )
        return next((facts[BOOT] for facts in circumstances if BOOT in facts), host)
