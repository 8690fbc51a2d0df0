"""What an output of sysbench says of itself in two ways, and of work that was not done, or not by all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sectax.audit.contradictions import LONG_ENOUGH_S
from sectax.audit.evidence import Incident, Twice
from sectax.audit.importers.said import Said
from sectax.audit.importers.sysbench_facts import MIB, Run
from sectax.audit.importers.sysbench_reports import every_s
from sectax.audit.importers.unsteady import FEWEST, copied, unsteady, waiting
from sectax.model.finding import Severity

KINDS, OPERATIONS = ("read", "write", "other"), ("reads", "writes", "fsyncs")
# Latencies are printed in hundredths of a millisecond.
MANY_DIGITS_S = 2e-4
# An operation that takes as long on average does not take nothing.
_LONG_S = 1e-3
# Of a whole number of queries by transaction: so much below it, they were counted at two times.
MOST_COUNTED_APART = 5e-3
# Of the mean, the spread of what threads did: threads that wait for a lock or a lone processor differ by less.
MOST_UNFAIR = 0.5
# Of the rate of the whole run.
MOST_OF_A_SECOND = 20.0
# Rates of whole runs are printed with two digits; the time that sysbench divides by is a little longer than it prints.
OF_A_RATE, DIGITS = 0.05, 0.011
# Of the time that was asked for; where it is less, it did not come to its end.
OF_THE_TIME = 0.9
# Of an event of `cpu`, by the largest prime to the power of 1.5: real ones take 26 times as long and more.
LEAST_OF_PRIMES_S = 1e-11
# Of latencies: src/sysbench.c.
HISTOGRAM_ENDS_S = 100.0
# What reports of a run make together, beside the whole: its beginning or end may be in none of them.
OF_ALL_REPORTS = 0.2


def doubtful(run: Run, said: Said) -> None:
    """What its lines tell of work that was not done, or not by all."""
    told = run.facts
    where = run.where

    def add(what: str, meaning: str) -> None:
        said.add(Severity.WARNING, run.line, what, meaning)

    lost = {name: told[name] for name in ("errors", "deadlocks", "reconnects") if told.get(name)}
    if lost:
        kinds = ", ".join(
            f"{'ignored errors' if name == 'errors' else name}: {count:.0f}" for name, count in lost.items()
        )
        add(f"{kinds} in {where}", "a transaction that fails is made again, and its time is in no latency")
    still, erring = (sum(map(test, run.reports)) for test in (lambda each: not each.rate, lambda each: each.errors > 0))
    if still and still < len(run.reports):
        add(
            f"no transaction in {still} of {len(run.reports)} reports of {where}",
            "it stood still for a while: the mean is of two states",
        )
    rate = told.get("events", 0.0) / max(told.get("total time", 0.0), 1e-9)
    mean_s, least = told.get("latency avg", 0.0), told.get("latency min")
    if run.no_time and run.test == "cpu" and least == 0 and mean_s >= _LONG_S:
        said.add(
            Severity.FATAL,
            run.no_time,
            f"an event of {where} took no time, and they are alike and take {mean_s:.3g} s on average",
            "the clock stood still or jumped while it ran: no latency of it can be used",
        )
    most = max((each.rate for each in run.reports if each.counts), default=0.0)
    if rate and most > MOST_OF_A_SECOND * rate:
        add(
            f"a report of {most:.3g} a second in {where}, and all of it makes {rate:.4g}",
            "a counter ran over, or nothing was done most of the time: the mean is of two states",
        )
    if erring:
        add(f"errors in {erring} of {len(run.reports)} reports of {where}", "what fails is often fast")
    if run.reports and not run.summed_up:
        add(
            f"{where} has reports of single seconds and no summary",
            "it was cut short, or lines were taken out: its figures are those of the reports",
        )
    mean, spread = told.get("events by thread"), told.get("spread of events by thread")
    if mean and spread and spread > MOST_UNFAIR * mean and told.get("threads", 0) > 1:
        add(
            f"threads of {where} made {mean:.4g} events on average, with a spread of {spread:.4g}",
            "some threads had far more than others: the latencies are those of a few",
        )


def along(run: Run) -> Iterator[Incident]:
    """Where its reports go, and whether they are of one state."""
    if not run.reports:
        return
    where, each_s = run.where, every_s(run.reports)
    rates = [each.rate for each in run.reports]
    counts = [rate * each_s for rate in rates] if all(each.counts for each in run.reports) else None
    timed = [(each.at_s, each.latency_s) for each in run.reports if each.latency_s is not None]
    latencies = [took for _, took in timed]
    found = [
        *copied(f"rates of {where}", rates),
        *unsteady(f"{'events' if counts is not None else 'MiB'} a second of {where}", rates, counts),
        *waiting([at for at, _ in timed], latencies),
        # The percentile of a second without an event is printed as 0, and that of short events with a digit alone.
        *unsteady(f"latencies of {where}, in seconds", [took for took in latencies if took >= MANY_DIGITS_S]),
    ]
    yield from {each.check: each for each in reversed(found)}.values()


def by_command(run: Run) -> Iterator[Incident]:
    """Where it is not what the command above it asked for."""
    threads, seconds = (run.asked.get(name) for name in ("threads", "time"))
    if threads and run.facts.get("threads", threads) != threads:
        yield Incident(
            Severity.FATAL,
            f"{run.where} had {run.facts['threads']:g} threads, and the command above it asks for {threads:g}",
            "the output is of another command",
            "contradiction",
        )
    ran_s = run.facts.get("total time")
    # Other tests, and those of 0.4, have an end of their own.
    to_the_end = run.test in ("sql", "cpu") and not run.event_limit and not run.version.startswith("sysbench 0.")
    if seconds and ran_s and to_the_end and not run.asked.get("events") and ran_s < OF_THE_TIME * seconds:
        yield Incident(
            Severity.WARNING,
            f"{run.where} lasted {ran_s:.4g} s, and the command above it asks for {seconds:g} s",
            "it ended early, or is of another command",
            "contradiction",
        )


def too_fast(run: Run) -> Iterator[Incident]:
    """An event of `cpu` that no processor does in its time: dividing all numbers up to the largest prime."""
    threads, events, largest = (run.facts.get(name, 0.0) for name in ("threads", "events", "largest prime"))
    if run.test != "cpu" or not events or not threads:
        return
    each_s, least = threads * run.facts.get("total time", math.inf) / events, LEAST_OF_PRIMES_S * largest**1.5
    if 0 < each_s < least:
        yield Incident(
            Severity.FATAL,
            f"an event of {run.where} takes a thread {each_s:.2g} s, and looking for the primes up to {largest:g} "
            f"{least:.2g} s at the least",
            "the work was not done, as where the compiler left it out: the figure is of an empty loop",
            "faster-than-physics",
        )


def unlike_ends(runs: Sequence[Run]) -> Iterator[Incident]:
    """Runs of one test of which the clock ended one and a number of events another: F where no rate stands beside."""
    for test in ("cpu", "sql", "threads"):
        of_it = [run for run in runs if run.test == test and run.facts.get("events") and "total time" in run.facts]
        by_the_clock = [run for run in of_it if run.by_the_clock]
        by_events = [run for run in of_it if run.by_events]
        if by_the_clock and by_events:
            one, other = by_the_clock[0], by_events[0]
            rated = all(any(name.endswith("per second") for name in run.facts) for run in (*by_the_clock, *by_events))
            yield Incident(
                Severity.WARNING if rated else Severity.FATAL,
                f"the clock ended {one.where} after {one.facts['total time']:.4g} s, and {other.facts['events']:.0f} "
                f"events ended {other.where} after {other.facts['total time']:.4g} s",
                "the total time of one is the same however fast the machine is: the two are no comparison",
                "fixed-time-total",
            )


def of_a_histogram(run: Run) -> Iterator[Incident]:
    """A percentile that lies beyond what it is of: it is the edge of a step, which is 2 % wide, or the last edge."""
    told = run.facts
    value, least, most = (told.get(f"latency {name}") for name in ("percentile", "min", "max"))
    if value == HISTOGRAM_ENDS_S and (most or math.inf) > value:
        yield Incident(
            Severity.WARNING,
            f"the {run.percentile} of {run.where} is {HISTOGRAM_ENDS_S:g} s, and the longest is {most or math.inf:g} s",
            "there the histogram ends: the percentile is that or anything longer",
            "contradiction",
        )
    elif (
        run.percentile != "p100"
        and value
        and ((least is not None and value < least) or (most is not None and value > most))
    ):
        yield Incident(
            Severity.WARNING,
            f"the {run.percentile} of {run.where} is {value * 1000:.2f} ms, and its latencies lie "
            f"between {(least or 0.0) * 1000:.2f} and {(most or 0.0) * 1000:.2f} ms",
            "it comes from the edges of a histogram: differences of a few per cent in it show nothing",
            "contradiction",
        )


def twice(run: Run) -> Iterator[Twice]:
    """Sums beside their parts, numbers beside their rates, and what threads, blocks and transactions make."""
    told = run.facts
    seconds, events, threads = told.get("total time", 0.0), told.get("events"), told.get("threads", 0.0)

    def beside(
        what: str,
        one: float | None,
        other: float | None,
        words: str,
        slack: float = DIGITS,
        tolerance: float = OF_A_RATE,
        severity: Severity = Severity.FATAL,
    ) -> Iterator[Twice]:
        if one is not None and other is not None:
            yield Twice(f"{what} of {run.where}", one, other, words, slack, tolerance=tolerance, severity=severity)

    def at_most(what: str, one: float, most: float, words: str, slack: float) -> Iterator[Twice]:
        yield from beside(what, one, most, words, slack) if one > most > 0 else ()

    queries = [told[name] for kind in KINDS if (name := f"{kind} queries") in told]
    if len(queries) == len(KINDS):
        words = "those that read, write and do other things are together"
        yield from beside("the number of all queries", told.get("all queries"), sum(queries), words, 1.0)
    if seconds >= LONG_ENOUGH_S:
        parts = [told[name] for kind in OPERATIONS if (name := f"{kind} per second") in told]
        if len(parts) == len(OPERATIONS):
            # Operations that were counted after the end are few.
            made, words = seconds * sum(parts), "reads, writes and fsyncs a second make"
            yield from beside("the number of events", events, made, words, 0.05 * (events or 0.0) + 1)
        for name in ("transactions", "queries", "operations"):
            per_s = told[name] / seconds if name in told else None
            yield from beside(f"the rate of {name}", told.get(f"{name} per second"), per_s, "by number and time it is")
        moved = told["MiB moved"] / seconds if "MiB moved" in told else None
        rate = told["transferred"] / MIB if "transferred" in told else None
        yield from beside("MiB a second", rate, moved, "by their number and the time they are")
    if run.test == "sql":
        # A script may make several transactions of an event; one that begins none has 0 in 0.5.
        counted = told.get("transactions") or None
        yield from beside("the number of transactions", counted, events, "and of events", tolerance=0.5)
    if told.get("block in KiB") and "operations" in told:
        made = told["operations"] * told["block in KiB"] / 1024
        # The block is printed in whole KiB, without what is more.
        tolerance, words = max(OF_A_RATE, 1 / (told["block in KiB"] + 1)), "by operations and their block they are"
        yield from beside("MiB that were moved", told.get("MiB moved"), made, words, tolerance=tolerance)
    if "block of files in KiB" in told and not run.merged:
        for name, what in (("reads", "read"), ("writes", "written")):
            made = told.get(f"{name} per second", 0.0) * told["block of files in KiB"] / 1024
            rate = told[what] / MIB if what in told else None
            yield from beside(f"MiB {what} a second", rate, made, f"by {name} and their block they are")
    if threads and "events by thread" in told:
        # Events of threads that were still at work at the end are counted in one of them.
        made = threads * told["events by thread"]
        yield from beside("the number of events", events, made, "and of all threads together", threads)
    if events and "latency sum" in told:
        # Two digits after the point, of milliseconds.
        words = "the sum of all over their number is"
        yield from beside(
            "the mean latency", told.get("latency avg"), told["latency sum"] / events, f"in seconds; {words}", 1e-5
        )
    yield from at_most("the longest latency", told.get("latency max", 0.0), seconds, "in seconds; the test took", 1e-2)
    # Threads can have waited for less than they lived.
    busy = told.get("latency sum") or told.get("latency avg", 0.0) * (events or 0.0)
    words = f"in seconds; its {threads:.0f} threads lived for no more than"
    yield from at_most("the sum of all latencies", busy, threads * seconds, words, 0.05 * threads * seconds + 1e-2)
    lived = told.get("time by thread", 0.0)
    yield from at_most("the time of a thread", lived, seconds, "in seconds; the test took", 0.1)
    each_s = every_s(run.reports)
    if len(run.reports) >= FEWEST and abs(len(run.reports) * each_s / (seconds or 1.0) - 1) < 1 / FEWEST:
        made = seconds * sum(each.rate for each in run.reports) / len(run.reports)
        counted = events if all(each.counts for each in run.reports) else None
        words = "its reports make together"
        yield from beside("the number of events", counted, made, words, 1.0, OF_ALL_REPORTS, Severity.WARNING)
    made = told.get("transactions", 0.0)
    if len(queries) < len(KINDS) or made < 1 / MOST_COUNTED_APART or queries[0] < made:
        return
    # Transactions that were made again have more queries, and scripts with unlike transactions any number of them.
    whole = [round(count / made) for count in queries]
    lacks = [1 - count / (each * made) if each else 0.0 for each, count in zip(whole, queries, strict=True)]
    if all(0 < lack < MOST_COUNTED_APART for lack in lacks):
        what = f"the number of reads that {made:.0f} transactions lack"
        words = f"where each of these makes {whole[0]}, it is"
        yield from beside(what, whole[0] * made - queries[0], 0.0, words, 0.0, 0.0, Severity.WARNING)
