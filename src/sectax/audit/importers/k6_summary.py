"""What the metrics of one summary of k6 tell of its test, and what they say of each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sectax.audit.contradictions import ENOUGH_FOR_QUANTILES
from sectax.audit.evidence import Incident, Twice
from sectax.audit.importers.load_run import LoadRun
from sectax.audit.unequal_work import MOST_ERRORS
from sectax.audit.words import duration
from sectax.model.finding import Severity
from sectax.model.printable import printable

# How times of connections go; a connection that is kept has none. The rest are parts of http_req_duration.
_PARTS = ("http_req_sending", "http_req_waiting", "http_req_receiving")
_NOT_FIGURES = frozenset({*_PARTS, "http_req_blocked", "http_req_connecting", "http_req_tls_handshaking"})
_WHOLE = "http_req_duration"
_PASSED = "http_req_duration{expected_response:true}"
# What stands in every whole summary of requests: in the old form at its end, in the new one below them.
_WHOLE_SUMMARY = (("http_reqs",), ("data_received",), ("iterations", "vus", "vus_max"))
# After this a request is given up where the script says nothing else.
_TIMEOUT_S = 60.0
# Of the mean of http_req_duration: a connection that is kept waits for none.
MOST_BLOCKED = 0.5
# Of the users: a rate that more of them would be needed for was taken from another clock.
MOST_BEYOND_USERS = 0.05
# Of the time that users were there for: iterations fill it, but for those that were under way at the end.
LEAST_OF_USERS = 0.8
# Requests that passed, beside all of them.
MOST_APART = 2.0
# Amounts of data have two digits.
OF_DATA = 0.12


@dataclass
class Summary:
    """One summary, or one group or scenario of it.

    Attributes:
        trends: metric -> statistic -> seconds.
        counters: metric -> how many, and how many a second.
        names: of its metrics, with their lines.
        failed: requests that failed and passed.
        checks, all_checks: how often each check, and all of them, passed and failed.
        shares: metric -> the share that is told, and that by its counts.
        users: the least and the most that were there at a time.
        most_users: that there were.
        below_zero: its statistics that are negative, in words.
        ran_s, complete: what its progress tells of the time and the iterations.
    """

    load: LoadRun
    trends: dict[str, dict[str, float]] = field(default_factory=dict)
    counters: dict[str, tuple[float, float]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    failed: tuple[float, float] | None = None
    checks: dict[str, tuple[float, float]] = field(default_factory=dict)
    all_checks: tuple[float, float] | None = None
    shares: dict[str, tuple[float, float]] = field(default_factory=dict)
    users: tuple[float, float] | None = None
    most_users: float | None = None
    below_zero: list[str] = field(default_factory=list)
    ran_s: float | None = None
    complete: float | None = None

    @property
    def where(self) -> str:
        return self.load.where

    def finish(self) -> None:
        """Tell the run of a load client what the metrics are of it."""
        load = self.load
        load.gives_up_s = _TIMEOUT_S
        iterations, requests = self.counters.get("iterations"), self.counters.get("http_reqs")
        if requests is not None:
            load.requests, load.rate = requests
        elif iterations is not None:
            load.requests = iterations[0]
        if load.wall_s is None and load.requests and load.rate:
            load.wall_s = load.requests / load.rate
        if load.target is not None and iterations is not None and iterations != requests:
            # The schedule is of iterations, which may make several requests.
            load.target = load.target * requests[0] / iterations[0] if requests and iterations[0] else None
        if (dropped := self.counters.get("dropped_iterations")) is not None:
            load.dropped = dropped[0]
        if (data := self.counters.get("data_received")) is not None:
            # A script may ask for unlike things, so that bytes by request are of none of them.
            load.content, load.transfer = data
        self._failures()
        if self.most_users:
            load.set_up["virtual users"] = f"{self.most_users:g}"
        for name, times in self.trends.items():
            base, _, tag = name.partition("{")
            if base in _NOT_FIGURES:
                continue
            load.times[name] = times
            if name not in load.counts and base != _WHOLE:
                load.counts[name] = iterations[0] if base == "iteration_duration" and iterations and not tag else None
            elif tag and name not in load.counts:
                load.counts[name] = self.failed[1] if self.failed is not None and name == _PASSED else None

    def _failures(self) -> None:
        """Requests that failed, or the share of a check that failed: the script's own word on what it was to get."""
        counts = [*self.checks.values(), *filter(None, [self.all_checks])]
        worst = max((failed / (passed + failed) for passed, failed in counts if passed + failed), default=0.0)
        requests = self.load.requests or 0.0
        if self.failed is not None:
            self.load.failed = {"http_req_failed": self.failed[0]}
        if worst > 0 and (self.failed is None or self.failed[0] <= MOST_ERRORS * requests):
            self.load.failed = {"by the worst check": round(worst * requests)}

    def incidents(self) -> Iterator[Incident]:
        """What is missing, and what tells of work that was not done or dominates the times."""
        if self.below_zero:
            others = f"; and {len(self.below_zero) - 1} more" if len(self.below_zero) > 1 else ""
            yield Incident(
                Severity.FATAL,
                f"a statistic is below zero ({self.below_zero[0]}{others})",
                "nothing takes less than no time: the clock was set back while it ran, and the means have that in them",
                "contradiction",
            )
        for name, (passed, failed) in self.checks.items():
            yield Incident(
                Severity.WARNING,
                f"the check '{printable(name, 60)}' failed {failed:.0f} times of {passed + failed:.0f}",
                "the script itself says that answers were not what it expected: their times are of other work",
                "unequal-work",
            )
        if self.load.line is not None:
            yield from self._cut_short()
        blocked, whole = (self.trends.get(name, {}).get("mean") for name in ("http_req_blocked", _WHOLE))
        if blocked is not None and whole is not None and blocked > MOST_BLOCKED * whole and self.load.requests:
            yield Incident(
                Severity.WARNING,
                f"requests wait for a connection for {blocked:.3g} s on average, and take {whole:.3g} s",
                "connecting dominates (no keep-alive, or each user makes few requests), and is in no http_req_duration",
            )
        if self.most_users == 0:
            yield Incident(Severity.WARNING, "vus_max is 0", "no virtual user was there to make these requests")
        yield from self._of_the_passed()

    def _cut_short(self) -> Iterator[Incident]:
        """A text whose last metrics are missing, or whose last line ends before its last number."""
        last, told = max(self.names, key=lambda name: self.names[name], default=""), self.trends
        missing = [names[0] for names in _WHOLE_SUMMARY if not any(each in self.names for each in names)]
        saw = ""
        if any(name.startswith("http_req") for name in self.names) and missing and self.load.factor == "script":
            saw = f"the summary at line {self.load.line} has no {' and no '.join(missing)}"
        elif last in told and len(told[last]) < max(map(len, told.values())):
            saw = f"line {self.names[last]} has fewer statistics of {printable(last, 60)} than the others"
        if saw:
            meaning = "it was cut short, or lines were taken out: what is missing is not known"
            yield Incident(Severity.WARNING, saw, meaning)

    def _of_the_passed(self) -> Iterator[Incident]:
        """Requests that passed, which take another time than all of them."""
        every, passed = self.trends.get(_WHOLE, {}), self.trends.get(_PASSED, {})
        apart = {
            name: (every[name], passed[name])
            for name in ("median", "mean", "p95")
            if min(every.get(name, 0.0), passed.get(name, 0.0)) > 0
        }
        if not apart or not (self.failed and self.failed[0]):
            return
        name, (of_all, of_passed) = max(apart.items(), key=lambda each: max(each[1]) / min(each[1]))
        if max(of_all, of_passed) >= MOST_APART * min(of_all, of_passed):
            yield Incident(
                Severity.WARNING,
                f"the {name} of all requests {self.where} is {duration(of_all)}, and {duration(of_passed)} of those "
                "that passed",
                "two clusters: a request that fails takes another time, and the figures of all of them are of neither",
                "modes",
            )

    def twice(self) -> Iterator[Twice]:
        """What it tells in two ways."""
        where = self.where
        whole = self.trends.get(_WHOLE, {}).get("mean")
        parts = [self.trends.get(name, {}).get("mean") for name in _PARTS]
        if whole is not None and None not in parts:
            yield Twice(
                f"the mean of http_req_duration {where}, in seconds,",
                whole,
                sum(each or 0.0 for each in parts),
                "its parts (sending, waiting, receiving) are together",
                # Text cuts off what is behind two digits of its unit.
                1e-5 if self.load.line is not None else 1e-9,
            )
        lasted = self.trends.get("iteration_duration", {}).get("mean")
        one_each = self.counters.get("iterations") == self.counters.get("http_reqs")
        if whole is not None and lasted is not None and whole > lasted and one_each:
            # Each iteration makes one request, and waits for it. What was interrupted is in one of the two alone.
            words = "that of an iteration, which holds one of them, is"
            yield Twice(f"the mean of http_req_duration {where}, in seconds,", whole, lasted, words, 1e-3)
        yield from self._lengths()
        yield from self._of_users()
        yield from self._of_checks()
        for name, (told, follows) in self.shares.items():
            what = f"the share of {printable(name, 60)} {where}"
            yield Twice(what, told, follows, "and by its counts it is", 1.1e-4, tolerance=0.0)
        requests = self.counters.get("http_reqs")
        if self.failed is not None and requests is not None:
            yield Twice(
                f"the number of requests {where}",
                requests[0],
                sum(self.failed),
                "and those that failed or passed are together",
                0.0,
                severity=Severity.WARNING,
            )

    def _lengths(self) -> Iterator[Twice]:
        """The time of the test, which each number and its rate tell."""
        lasted = {name: count / rate for name, (count, rate) in self.counters.items() if count and rate}
        first = next((name for name in ("http_reqs", "iterations") if name in lasted), None)
        for name, seconds in lasted.items():
            if first is not None and name != first:
                yield Twice(
                    f"the time of the test {self.where}, in seconds, by {first} and their rate,",
                    lasted[first],
                    seconds,
                    f"by {printable(name, 60)} it is",
                    1e-3,
                    tolerance=OF_DATA if name.startswith("data_") else None,
                    severity=Severity.WARNING if name.startswith("data_") else Severity.FATAL,
                )
        count, rate = self.counters.get("iterations", (0.0, 0.0))
        # A line of progress from before the end counts fewer.
        if self.ran_s is not None and count and rate and self.complete == count:
            # The time is printed to a tenth of a second, and from an hour on to a second.
            what = f"the time of the test {self.where}, in seconds,"
            yield Twice(what, self.ran_s, count / rate, "by iterations and rate it is", 1.0)

    def _of_users(self) -> Iterator[Twice]:
        """Little's law: a user makes one iteration after the other."""
        count, rate = self.counters.get("iterations", (0.0, 0.0))
        lasted = self.trends.get("iteration_duration", {})
        mean, longest = lasted.get("mean"), lasted.get("max")
        if mean is None or not self.most_users or not rate or count < ENOUGH_FOR_QUANTILES:
            return
        what = f"the number of iterations under way {self.where}"
        if rate * mean > self.most_users:
            # setup() and teardown() are among their times, and none is longer than the longest.
            yield Twice(
                what,
                rate * mean,
                self.most_users,
                "by their rate and duration, and there were virtual users, at the most,",
                1.0 if longest is None else rate * (2 * longest / count + 0.006 * mean),
                tolerance=0.3 if longest is None else MOST_BEYOND_USERS,
            )
        # All of them were there all the time. What an iteration waits for is in it, and each may have lost its last.
        elif (
            self.users == (self.most_users, self.most_users)
            and self.load.target is None
            and (count * mean + self.most_users * (longest or mean)) * rate < LEAST_OF_USERS * self.most_users * count
        ):
            yield Twice(
                what,
                rate * mean,
                self.most_users,
                "by their rate and duration; unless they were sent by a schedule, there were virtual users all the "
                "time,",
                0.0,
                tolerance=0.0,
                severity=Severity.WARNING,
            )

    def _of_checks(self) -> Iterator[Twice]:
        if self.all_checks is None or not self.checks:
            return
        # Only checks that failed print their counts.
        passed, failed = (sum(counts) for counts in zip(*self.checks.values(), strict=True))
        if failed > self.all_checks[1]:
            what, words = "the number of failures of all checks", "and the checks that failed have together"
            yield Twice(f"{what} {self.where}", self.all_checks[1], failed, words, 0.0, tolerance=0)
        elif passed > self.all_checks[0]:
            words = "and those that failed too have passed together"
            yield Twice(
                f"the number of checks passed {self.where}", self.all_checks[0], passed, words, 0.0, tolerance=0
            )
