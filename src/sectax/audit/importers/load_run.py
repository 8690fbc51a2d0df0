"""What load clients tell of a run, each in its own words: requests, times of answers, bytes, failures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest

from sectax.audit.contradictions import LONG_ENOUGH_S, RATE_STEP
from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.importers.clusters import of_mean, of_quantiles
from sectax.audit.importers.parts import Measurement, evidence, numbered
from sectax.audit.importers.sizes import named_size
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import DURATION, SECONDS
from sectax.model.finding import Severity
from sectax.model.printable import printable

LATENCY = "latency"
_STATISTICS = {0.0: "min", 50.0: "median", 100.0: "max"}
# Of the time after which a client gives up: so near to it the longest answers are.
OF_A_LIMIT = 0.004
# Of the time that each place has for a request, in which it waits for its answer: the rest it spends in the client.
LEAST_WAITED = 0.5
# Longer lines are no command that somebody typed.
_LONGEST_COMMAND = 2000


def quantile(per_cent: float) -> str:
    """What a quantile is called: p99, and median for 50."""
    return _STATISTICS.get(per_cent, f"p{per_cent:g}")


# What a command asks for: its options, what it is called, and how far the output may be from it. Times are printed in
# whole units, and hey makes a multiple of its connections of the requests.
_ASKED = {
    "connections": (("-c", "--connections"), "the number of connections", 0.0),
    "threads": (("-t", "--threads"), "the number of threads", 0.0),
    "seconds": (("-d", "--duration"), "the time of the test", 0.4),
    "requests": (("-n",), "the number of requests", 0.0),
}


@dataclass
class LoadRun:
    """One run of a load client, as far as its output tells.

    Attributes:
        client: the program.
        name: what it asked for: an address, a script.
        line: where it begins; None of JSON.
        factor: what the name is a level of.
        times: metric -> statistic -> seconds; most clients have one metric.
        counts: how many times are behind a metric, where that is not the number of requests.
        requests: that were counted, those that failed too.
        failed: how many by kind; None where failures are not told.
        bytes_read: of all requests together.
        content: bytes of the answers without their headers, where that is told.
        rate, transfer: requests and bytes a second, as printed.
        transfer_step: the step in which bytes a second are printed, at the most.
        busy: how many requests were under way at a time at most, each waiting for its answer.
        places: how many ask again as soon as their answer is there, one or more at a time.
        printed_s: the step in which its times are printed.
        stdev: of the times of all requests, in seconds.
        gives_up_s: after how long the client counts an answer as missing, so that no time can be longer.
        set_up: how it was told to work, in words.
        twice: what its output tells in two ways, besides what all clients do.
    """

    client: str
    name: str
    line: int | None
    factor: str = "url"
    times: dict[str, dict[str, float]] = field(default_factory=dict)
    counts: dict[str, float | None] = field(default_factory=dict)
    requests: float | None = None
    failed: dict[str, float] | None = field(default_factory=dict)
    wall_s: float | None = None
    bytes_read: float | None = None
    content: float | None = None
    rate: float | None = None
    transfer: float | None = None
    transfer_step: float = 1.0
    busy: float | None = None
    places: float | None = None
    ends_by: EndsBy | None = None
    configured_s: float | None = None
    target: float | None = None
    dropped: float | None = None
    in_flight: float | None = None
    printed_s: float | None = None
    stdev: float | None = None
    gives_up_s: float | None = None
    set_up: dict[str, str] = field(default_factory=dict)
    twice: list[Twice] = field(default_factory=list)

    @property
    def where(self) -> str:
        return f"of {printable(self.name, 60)}" if self.line is None else f"of the run at line {self.line}"

    @property
    def all_times(self) -> Mapping[str, float]:
        """Statistics of the times of all requests, in seconds, whatever the client calls them."""
        return self.times.get(LATENCY) or self.times.get("http_req_duration") or {}

    def fails(self, kinds: Mapping[str, float]) -> None:
        """Note how many failed, by kind."""
        self.failed = (self.failed or {}) | dict(kinds)

    def tells_twice(
        self,
        what: str,
        told: float | None,
        follows: float | None,
        from_: str,
        slack: float = 0.0,
        tolerance: float = 0.05,
    ) -> None:
        """Note what the output tells in two ways; nothing where it tells one of them alone."""
        if told is not None and follows is not None:
            self.twice.append(Twice(f"{what} {self.where}", told, follows, from_, slack, tolerance=tolerance))

    def at_most(self, what: str, told: float | None, most: float | None, from_: str, slack: float = 0.0) -> None:
        """Note what can be no more than something else that the output tells."""
        if told is not None and most is not None and told > most:
            self.tells_twice(what, told, most, from_, slack)

    def asked_for(self, commands: Sequence[Command], slack: float = 0.0, **told: float | None) -> None:
        """Hold the commands above the output against what it tells: connections, threads, seconds, requests.

        Where several stand above it, it is of any of them.

        Args:
            slack: by how many the requests may differ.
        """
        found = [list(self._unlike(each, slack, told)) for each in commands]
        if found and all(found):
            self.twice += found[-1]

    def _unlike(self, asked: Command, slack: float, told: Mapping[str, float | None]) -> Iterator[Twice]:
        for name, (options, words, tolerance) in _ASKED.items():
            wanted = asked.seconds(*options) if name == "seconds" else asked.number(*options)
            real = told.get(name)
            margin = tolerance * max(real or 0.0, wanted or 0.0) + (slack if name == "requests" else 0.0)
            if wanted and real is not None and abs(real - wanted) > margin:
                above = "and the command above it asks for"
                what = f"{words} {self.where}"
                yield Twice(what, real, wanted, above, tolerance=0.0, slack=0.0, severity=Severity.WARNING)

    def took(self, statistic: str, seconds: float, metric: str = LATENCY) -> None:
        """Note a time; of what is printed twice the first counts."""
        self.times.setdefault(metric, {}).setdefault(statistic, seconds)


def of_runs(
    runs: Sequence[LoadRun], client: str, incidents: Iterable[Incident] = (), twice: Iterable[Twice] = ()
) -> Evidence:
    """All runs of a file as evidence. Raises `BadInput` where there are none."""
    return evidence(
        (
            figure
            for run, named in zip(runs, numbered(run.name for run in runs), strict=True)
            for figure in _figures(run, *named)
        ),
        client,
        incidents=chain(incidents, *(look(run) for look in _LOOKS for run in runs)),
        twice=chain(twice, *map(_twice, runs), *(run.twice for run in runs)),
    )


def without_figures(runs: Sequence[LoadRun], missing: str) -> Iterator[Incident]:
    """The runs that were cut short before their first figure. Raises `BadInput` where no other run is in the file."""
    empty = [run for run in runs if run.rate is None and not run.times]
    if empty and len(empty) == len(runs):
        client = empty[0].client
        raise BadInput(f"this output of {client} was cut short: it has no {missing}", line=empty[0].line)
    for run in empty:
        saw = f"the run at line {run.line} has no {missing}"
        yield Incident(Severity.WARNING, saw, "it was cut short or failed, and is in none of the figures")


def _failures(run: LoadRun) -> Iterator[Incident]:
    """What failed, by kind. Whether it is too much of all requests is another check's word."""
    kinds = ", ".join(f"{printable(kind, 80)}: {count:.0f}" for kind, count in (run.failed or {}).items() if count)
    if kinds:
        requests = "an unknown number of" if run.requests is None else f"{run.requests:.0f}"
        yield Incident(
            Severity.WARNING,
            f"{run.client} counts errors beside {requests} requests ({kinds}; {run.where.removeprefix('of ')})",
            "a request that fails is often a fast one, one that times out is in no latency",
            "unequal-work",
        )


def _shape(run: LoadRun) -> Iterator[Incident]:
    """Of all requests of a run, whatever the client calls them: clusters, or a mean that a few of them make."""
    times = run.all_times
    shares = {"median": 50.0} | {name: float(name[1:]) for name in times if re.fullmatch(r"p[\d.]+", name)}
    quantiles = {share: times[name] for name, share in shares.items() if name in times}
    step = run.printed_s or 0.0
    found = chain(
        of_quantiles(run.where, quantiles, run.requests, step),
        of_mean(run.where, times, quantiles, run.requests or 0.0, run.stdev or 0.0, step),
    )
    yield from islice(found, 1)


def _empty(run: LoadRun) -> Iterator[Incident]:
    if run.content == 0 and run.requests:
        yield Incident(
            Severity.WARNING,
            f"the answers have no content ({run.where.removeprefix('of ')})",
            "what was measured is a redirect, an empty page, or a server that answers nothing",
            "unequal-work",
        )


def _given_up(run: LoadRun) -> Iterator[Incident]:
    """The longest time is the one after which the client gives up."""
    longest = run.all_times.get("max")
    if run.gives_up_s and longest is not None and abs(longest / run.gives_up_s - 1) < OF_A_LIMIT:
        yield Incident(
            Severity.WARNING,
            f"the longest answer takes {longest:.4g} s, after which {run.client} gives up "
            f"({run.where.removeprefix('of ')})",
            "answers that take longer are in no time: the maximum, and what lies near it, are those of the limit",
        )


_LOOKS = (_failures, _empty, _given_up, _shape)


def _twice(run: LoadRun) -> Iterator[Twice]:
    yield from _spread(run)
    # Every answer that was counted came while the test ran.
    longest = max(run.all_times.values(), default=None)
    run.at_most("the longest time", longest, run.wall_s, "in seconds, and the whole test took", run.printed_s or 1e-3)
    mean = run.times.get(LATENCY, {}).get("mean")
    if run.transfer is not None and run.bytes_read is not None and run.wall_s and run.wall_s >= LONG_ENOUGH_S:
        yield Twice(
            f"the transfer {run.where}, in bytes a second,",
            run.transfer,
            run.bytes_read / run.wall_s,
            "the bytes that were read over the time are",
            # Two digits after the point, of the unit that either was printed in.
            0.01 * (run.transfer + run.bytes_read / run.wall_s) + run.transfer_step,
        )
    if mean and run.busy and run.rate and mean > run.busy / run.rate and not _errors(run):
        # Little's law: each of them has one request under way at most. They may wait in between, so less is right.
        yield Twice(
            f"the mean time of a request {run.where}, in seconds,",
            mean,
            run.busy / run.rate,
            f"at its rate, {run.busy:.0f} at a time can take no longer than",
            # Some clients print whole milliseconds.
            1e-3 + run.busy / run.rate * RATE_STEP / run.rate,
        )

    each = run.places / run.rate if run.places and run.rate else 0.0
    if mean and mean < LEAST_WAITED * each and not run.target and not _errors(run):
        yield Twice(
            f"the mean time of a request {run.where}, in seconds,",
            mean,
            each,
            f"unless they were sent by a schedule, {run.places:.0f} connections at its rate have for each",
            1e-3 if run.client != "wrk" else 0.0,
            tolerance=0.0,
            severity=Severity.WARNING,
        )


def _spread(run: LoadRun) -> Iterator[Twice]:
    times = run.times.get(LATENCY, {})
    mean, longest = times.get("mean"), times.get("max")
    if run.stdev is None or mean is None or longest is None or not (run.requests or 0) > 1 or mean > longest:
        return
    # A mean of 0 ms may have been 0.5.
    step = max(run.printed_s or 0.0, 0.01 * mean)
    least = max(times.get("min", 0.0) - step, 0.0)
    longest, mean = longest + step, mean + step
    # No values between the least and the most spread further than those that all lie at either end.
    widest = math.sqrt(max((longest - mean) * (mean - least), 0.0) * (run.requests or 2) / ((run.requests or 2) - 1))
    if run.stdev > widest:
        yield Twice(
            f"the standard deviation {run.where}, in seconds,",
            run.stdev,
            widest,
            "times with its mean and maximum spread no further than",
            # Digits of the mean and the maximum, where one of them nearly fixes it.
            2 * (run.printed_s or 1e-6) + 0.01 * longest,
        )


def _figures(run: LoadRun, label: str, which: str) -> Iterator[Figure]:
    told = Circumstances(
        operation=run.name,
        **named_size(run.name),
        load_client=run.client,
        ends_by=run.ends_by,
        configured_s=run.configured_s,
        events=run.requests,
        wall_s=run.wall_s,
        # A rate of nothing is what asks for no limit.
        target_rate=run.target or None,
        achieved_rate=run.rate if run.target else None,
        dropped=run.dropped,
        in_flight=run.in_flight,
        printed_s=run.printed_s,
        bytes_each=run.bytes_read / run.requests if run.bytes_read is not None and run.requests else None,
        errors=_errors(run),
        set_up=run.set_up,
        line=run.line,
    )
    levels = {run.factor: run.name, "run": which}
    for metric, times in run.times.items():
        count = run.counts.get(metric, run.requests)
        # Statistics of one metric can contradict each other, those of two cannot.
        of = Measurement(f"{label}: {metric}", levels, told, None if count is None else int(count))
        for name, value in times.items():
            yield of.figure(
                f"{metric}, {name}",
                Quantity.TIME,
                value,
                name,
                id=f"{label}: {metric}, {name}",
                table=f"{metric}, {name}",
            )
    of = Measurement(label, levels, told, None)
    if run.rate is not None:
        yield of.figure("requests/s", Quantity.RATE, run.rate, "rate")
    if run.transfer is not None:
        yield of.figure("transfer/s", Quantity.BANDWIDTH, run.transfer, "rate")


def _errors(run: LoadRun) -> float | None:
    """Requests that failed; one may be counted in two kinds."""
    if run.failed is None:
        return None
    every = sum(run.failed.values())
    return min(every, run.requests) if run.requests else every


@dataclass(frozen=True)
class Command:
    """A command line of the client that stands above its output, where a shell printed it."""

    options: Mapping[str, str]
    address: str

    def number(self, *names: str) -> float | None:
        """What follows the first of these options that is there, as a plain number; None where it is none."""
        text = next((self.options[name] for name in names if name in self.options), "")
        return float(text) if re.fullmatch(r"\d{1,12}(?:\.\d{1,6})?", text) else None

    def seconds(self, *names: str) -> float | None:
        """The same of a length of time: 10s, 2m, or seconds."""
        text = next((self.options[name] for name in names if name in self.options), "")
        found = DURATION.fullmatch(text[:_LONGEST_COMMAND])
        return float(found[1]) * SECONDS[found[2]] if found is not None else self.number(*names)


def command(line: str, *clients: str) -> Command | None:
    """The command of a line, where it is one of these clients' with an option or an address."""
    if len(line) > _LONGEST_COMMAND or not any(client in line for client in clients):
        return None
    words = line.replace("`", " ").split("|")[0].split()
    at = next((at for at, word in enumerate(words) if word.rsplit("/", 1)[-1] in clients), None)
    if at is None:
        return None
    options: dict[str, str] = {}
    address = ""
    after = words[at + 1 :]
    for word, following in zip_longest(after, after[1:], fillvalue=""):
        if word.startswith("--"):
            name, _, value = word.partition("=")
            options.setdefault(name, value or following)
        elif word.startswith("-") and len(word) > 1:
            options.setdefault(word[:2], word[2:] or following)
        elif "://" in word:
            address = word.strip("'\"")
    return Command(options, address) if options or address else None


class Commands:
    """The commands of a client that stand above its outputs.

    Attributes:
        own: the last of them, of which no output has begun yet.
    """

    def __init__(self, *clients: str) -> None:
        self.own: Command | None = None
        self._clients = clients
        self._every: list[Command] = []

    def sees(self, line: str) -> bool:
        """Whether a line is one of them; it is noted."""
        found = command(line, *self._clients)
        if found is not None:
            self.own = found
            self._every.append(found)
        return found is not None

    def taken(self) -> tuple[Command | None, list[Command]]:
        """The command of an output that begins now, and all that it may be of: a list may stand above a list."""
        own, self.own = self.own, None
        return own, self._every.copy() if own is not None or len(self._every) > 1 else []
