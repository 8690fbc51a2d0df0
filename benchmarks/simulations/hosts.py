"""Two claims about several hosts: do they hold? `python -m benchmarks.simulations.hosts`: about 3 minutes.

Runs on 3 to 30 hosts with noise of their own, one odd host or none, equal and unequal numbers of blocks, that stop at a
verdict as real runs do. How often does the interval of the hosts measured miss their mean, that of hosts like these
miss the mean of all hosts, that of one host miss its own; and how often is a host called odd that is not?
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.simulations.scenarios import Array
from sectax.analysis.needed import conclusive
from sectax.model.plan import FIRST_LOOK
from sectax.stats.confidence_sequence import UNSEEN, running_sequence
from sectax.stats.hosts import (
    HostIndices,
    HostSummaries,
    between_host_deviation,
    find_outlier,
    own_half_widths,
    population_mean,
    stratified_sequence,
    summarize_hosts,
    two_kinds,
)
from sectax.stats.student import critical_value

MARGIN = 0.02
ALPHA = 0.05
HOSTS = (3, 5, 10, 30)
# Looks at which the statements about hosts are made, besides the last one.
LOOKS = 12
# The share of the rarer kind of hosts.
RARER = 0.2


@dataclass(frozen=True)
class Fleet:
    """How hosts differ.

    Attributes:
        spread: standard deviation of the effect between hosts, a log ratio.
        noise: standard deviation of a block on the typical host.
        uneven: standard deviation of the log of a host's own noise: with 1 two hosts in three differ up to sevenfold.
        odd: how far the first host lies off.
        pace: how many times more blocks the fastest host makes than the slowest; 1 deals them out evenly.
        kinds: hosts are of two kinds, one in five of the rarer, instead of normal.
    """

    hosts: int
    spread: float = 0.0
    noise: float = 0.02
    uneven: float = 0.0
    odd: float = 0.0
    pace: float = 1.0
    kinds: bool = False

    def order(self, rng: Generator, blocks: int) -> HostIndices:
        """Which host makes each block."""
        if self.pace == 1:
            rounds = [rng.permutation(self.hosts) for _ in range(-(-blocks // self.hosts))]
            return np.concatenate(rounds)[:blocks]
        weights = np.geomspace(1, self.pace, self.hosts)
        begun = rng.permutation(np.repeat(np.arange(self.hosts), 2))
        return np.concatenate([begun, rng.choice(self.hosts, blocks, p=weights / weights.sum())])[:blocks]

    def effects(self, rng: Generator, runs: int) -> Array:
        shape = (runs, self.hosts)
        made = rng.normal(0.0, 1.0, shape) if not self.kinds else ((rng.random(shape) < RARER) - RARER) / 0.4
        made = self.spread * made
        made[:, 0] += self.odd
        return made

    def noises(self, rng: Generator, runs: int) -> Array:
        return self.noise * np.exp(rng.normal(0.0, self.uneven, (runs, self.hosts)))


@dataclass(frozen=True)
class Shares:
    """Shares of runs that are wrong in each way; NaN where nothing is claimed.

    Attributes:
        measured: the hosts' mean is missed, at any look. `ignoring` as if there were no hosts.
        alike, alike_ever: the mean of all hosts is missed, when the run ends, and at any look.
        of_kinds: the mean of all hosts of the kinds that were measured is missed, in runs that claim something.
        refused: nothing is claimed, since the hosts are of two kinds.
        weighted: the same when it ends, with hosts weighted by their blocks.
        own: one host's own effect is missed when the run ends, as a share of hosts.
        spread: the spread between hosts is missed.
        named, wrongly: the odd host is named; a host that is not odd is.
        half: half of the interval of the hosts measured, and of hosts like these, the median in per cent.
    """

    measured: float
    ignoring: float
    alike: float
    alike_ever: float
    of_kinds: float
    refused: float
    weighted: float
    own: float
    spread: float
    named: float
    wrongly: float
    half: tuple[float, float]


def shares(fleet: Fleet, *, runs: int, blocks: int, alpha: float = ALPHA, seed: int = 1) -> Shares:
    rng = np.random.default_rng([seed, fleet.hosts, blocks])
    host = fleet.order(rng, blocks)
    effects, noises = fleet.effects(rng, runs), fleet.noises(rng, runs)
    differences = effects[:, host] + rng.normal(0.0, 1.0, (runs, blocks)) * noises[:, host]
    reference = rng.normal(0.0, 0.003, (runs, blocks))
    looked = {"first_look": FIRST_LOOK, "last_look": blocks, "reference": reference, "unseen": UNSEEN}
    sequence = stratified_sequence(differences, host, alpha, **looked)  # type: ignore[arg-type]
    pooled = running_sequence(differences, alpha, **looked)  # type: ignore[arg-type]
    done = conclusive(sequence.low, sequence.high, MARGIN)
    ends = np.where(done.any(axis=1), done.argmax(axis=1), blocks - 1)
    half = (sequence.high - sequence.low) / 2
    looks = np.unique(np.linspace(FIRST_LOOK - 1, blocks - 1, LOOKS).astype(np.int64))
    statements = list(_statements(fleet, differences, effects, host, half, ends, looks, alpha))
    truth = effects.mean(axis=1, keepdims=True)

    def misses(low: Array, high: Array) -> float:
        return float(((low > truth) | (high < truth)).any(axis=1).mean())

    def share(name: str) -> float:
        values = [getattr(statement, name) for statement in statements]
        return float(np.nanmean(values)) if values and not np.isnan(values).all() else np.nan

    wide = [statement.half for statement in statements if np.isfinite(statement.half)]
    return Shares(
        measured=misses(sequence.low, sequence.high),
        ignoring=misses(pooled.low, pooled.high) if fleet.spread and fleet.pace > 1 else np.nan,
        alike=share("alike"),
        alike_ever=share("alike_ever"),
        of_kinds=share("of_kinds"),
        refused=share("refused"),
        weighted=share("weighted"),
        own=share("own"),
        spread=share("spread") if not fleet.odd else np.nan,
        named=share("named") if fleet.odd else np.nan,
        wrongly=share("wrongly"),
        half=(
            100 * float(np.median(half[np.arange(runs), ends])),
            100 * float(np.median(wide)) if wide else np.nan,
        ),
    )


@dataclass(frozen=True)
class _Told:
    """One run: what was wrong of what it said."""

    alike: float
    alike_ever: float
    of_kinds: float
    refused: float
    weighted: float
    own: float
    spread: bool
    named: bool
    wrongly: bool
    half: float


def _statements(
    fleet: Fleet,
    differences: Array,
    effects: Array,
    host: HostIndices,
    half: Array,
    ends: NDArray[np.int64],
    looks: NDArray[np.int64],
    alpha: float,
) -> Iterator[_Told]:
    """What every run that has an interval says of its hosts, the mean of all hosts being 0."""

    def reduced(run: int, place: int) -> HostSummaries:
        found = summarize_hosts(differences[run : run + 1, : place + 1], host[: place + 1])
        return HostSummaries(found.count[0], found.mean[0], found.noise[0])

    def missed(run: int, place: int, truth: float = 0.0) -> tuple[float, float]:
        found = population_mean(reduced(run, place).mean, alpha, UNSEEN, float(half[run, place]))
        if found.low is None or found.high is None:
            return np.nan, np.nan
        return float(not found.low <= truth <= found.high), (found.high - found.low) / 2

    def of_kinds(run: int) -> float:
        """The mean of a fleet that has the kinds measured, in the shares that they have in the whole one."""
        one_kind = fleet.kinds and np.ptp(effects[run]) == 0
        return float(effects[run, 0]) if one_kind else 0.0

    for run, end in enumerate(ends.tolist()):
        if not np.isfinite(half[run, end]):
            continue
        hosts = reduced(run, end)
        alike, width = missed(run, end)
        ever = [missed(run, place)[0] for place in looks.tolist() if np.isfinite(half[run, place])]
        weights = hosts.count / hosts.count.sum()
        weighted = float((weights * hosts.mean).sum())
        error = float(np.sqrt((weights**2 * (hosts.mean - weighted) ** 2).sum()))
        spread = between_host_deviation(hosts, 1 - ALPHA)
        odd = find_outlier(hosts, ALPHA)
        if odd is not None and abs(hosts.mean[odd] - np.delete(hosts.mean, odd).mean()) < np.log1p(MARGIN):
            odd = None
        is_odd = fleet.odd != 0 and odd == 0
        refused = not np.isnan(alike) and two_kinds(hosts, float(np.log1p(MARGIN))) is not None
        yield _Told(
            alike=alike,
            alike_ever=float(np.max(ever)),
            of_kinds=np.nan if refused else missed(run, end, of_kinds(run))[0],
            refused=np.nan if np.isnan(alike) else float(refused),
            weighted=np.nan if np.isnan(alike) else abs(weighted) > critical_value(fleet.hosts, alpha) * error,
            own=float((np.abs(hosts.mean - effects[run]) > own_half_widths(hosts, ALPHA, UNSEEN)).mean()),
            spread=spread.low is None or spread.high is None or not spread.low <= fleet.spread <= spread.high,
            named=is_odd,
            wrongly=odd is not None and not is_odd,
            half=width,
        )


KINDS: dict[str, Fleet] = {
    "alike": Fleet(0),
    "differ by 1 %": Fleet(0, spread=0.01),
    "differ by 5 %": Fleet(0, spread=0.05),
    "alike, unequal noise": Fleet(0, uneven=1.0),
    "5 %, unequal noise": Fleet(0, spread=0.05, uneven=1.0),
    "5 %, unequal noise, blocks 1 to 8": Fleet(0, spread=0.05, uneven=1.0, pace=8.0),
    "1 %, one host 20 % off": Fleet(0, spread=0.01, odd=0.2),
    "the same, unequal noise": Fleet(0, spread=0.01, odd=0.2, uneven=0.5),
    "one in five of another kind, 5 % off": Fleet(0, spread=0.02, kinds=True),
    "one in five of another kind, 15 % off": Fleet(0, spread=0.06, kinds=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.hosts", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="runs of every cell (2000)")
    parser.add_argument("--each", type=int, default=8, help="most blocks of a host, on average (8)")
    given = parser.parse_args()
    print(f"Per cent of {given.runs} runs of at most {given.each} blocks a host, alpha {100 * ALPHA:g} %, margin 2 %")
    print(
        "| hosts | how they differ | measured, any look | ignoring hosts | like these, unrefused | any look "
        "| of the kinds measured | refused | weighted by blocks "
        "| one host | spread | odd one named | wrongly named | half-widths |"
    )
    print("|" + " --- |" * 14)
    for name, fleet in KINDS.items():
        for hosts in HOSTS:
            found = shares(replace(fleet, hosts=hosts), runs=given.runs, blocks=max(12, given.each * hosts))
            cells = [
                "–" if np.isnan(value) else f"{100 * value:.1f}"
                for value in (
                    found.measured, found.ignoring, found.alike, found.alike_ever, found.of_kinds, found.refused,
                    found.weighted, found.own, found.spread, found.named, found.wrongly,
                )
            ]  # fmt: skip
            widths = ", ".join("–" if np.isnan(value) else f"{value:.1f}" for value in found.half)
            print(f"| {hosts} | {name} | {' | '.join(cells)} | {widths} |", flush=True)


if __name__ == "__main__":
    main()
