"""What the heading of a column says: a unit, a statistic, that it counts, or that it says what failed."""

from __future__ import annotations

import re
from collections.abc import Callable

from sectax.audit.reading.printed import statistic_of as of_percentile
from sectax.audit.reading.units import Unit, unit_of

_STATISTICS = {
    "mean": r"mean|average|avg",
    "median": "median|med",
    "min": "min|minimum|fastest",
    "max": "max|maximum|slowest",
    "error": "error",
    "stddev": "stddev|stdev|std|sd|std dev",
}
_WORDS = re.compile(r"[A-Za-z]+|\d[\dA-Za-z.]*")
COUNTS = re.compile(r"(?:total )?(?:n|count|samples|runs|iterations|rounds|trials|requests|reqs|operations)")
# Where or when a row was taken, which is no level.
OF_THE_ROW = re.compile(
    r".*\b(?:date|time ?stamp|timestamp|started|id|uuid|guid|run|iteration|iter|trial|rep|seq|index|no)"
)
SIZES = re.compile(r".*\b(?:size|payload|body|block|object|message|length)s?\b.*|bytes")
Failed = Callable[[str, float], bool | float]


def _says_no(text: str, _: float) -> bool:
    """Whether a cell says that a row did not succeed."""
    return text.strip().lower() in ("false", "no", "0", "ko", "failed", "error")


def share_in_percent(_: str, number: float) -> float:
    """The share of a row's operations that failed."""
    return max(number, 0.0) / 100


_FAILED, _PERCENT = "(?:errors?(?= rate)|errors|failed|failures?|fail|errs?|timeouts)", "(?:percent|percentage|pct)"
# Columns of failures by their names, and how many operations of a row failed by a text and its number.
_FAILURES: tuple[tuple[str, Failed], ...] = (
    (r"(?:num |n |total |failed )?(?:errors|failed|failures|errs|timeouts)", lambda _, number: max(number, 0.0)),
    (r"(?:.* )?(?:exit|return) ?(?:code|status)|rc", lambda _, number: number != 0),
    (r"(?:http |response )?(?:status|code)(?: code)?|response ?code", lambda _, number: number >= 400),
    (r"(?:is )?(?:success|successful|succeeded|ok|passed|valid|verified|correct)", _says_no),
    (rf"{_FAILED}(?: rate)? {_PERCENT}|{_PERCENT} {_FAILED}", share_in_percent),
)


def failures_in(names: list[str], numeric: list[int]) -> dict[int, Failed]:
    """The columns that count failures, by their names in small words: counts of them before marks of a row."""
    return {
        at: failed
        for known, failed in _FAILURES
        for at, name in enumerate(names)
        if re.fullmatch(known, name) and (at in numeric or failed is _says_no)
    }


def words(name: str) -> str:
    """A column's name in small words, without its unit: 'totalReqs', 'Total_Reqs' and 'Total Reqs (n)' are one.

    A percentage is not what it is of, so it stays: 'Errors (%)' and '% errors' are 'errors percent'.
    """
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.split(r"[(\[]", name)[0])
    spaced += " percent" if "%" in name and not re.search(r"\d\s*%", name) else ""
    return " ".join(_WORDS.findall(spaced.replace("_", " "))).lower()


def unit_in(name: str) -> Unit | None:
    """The unit that a column's name is or ends with: `sign (ops/s)`, `time_ms`, `ops_s`, `ns/op`, `ms`."""
    if (inside := re.search(r"[(\[]([^()\[\]]{1,20})[)\]]\s*$", name)) is not None:
        return unit_of(inside[1])
    name = re.sub(r"[_ ]per[_ ]|(?i:(?<=ops|eqs|req|sts)|(?<=[kmg]b|ib))_(?=s$)", "/", name)
    last = re.search(r"[_ ]([A-Za-zµμ/]{1,16})$|[a-z](Ms|Us|Ns|Secs?|Seconds|Millis|Nanos)$", name)
    # One letter by itself may be anything, and min is the least.
    words = (name if len(name) > 1 else "", (last[1] or last[2]) if last else "")
    return next((unit for word in words if statistic_of(word) is None and (unit := unit_of(word))), None)


def statistic_of(name: str) -> str | None:
    """The statistic that a column's name says: mean, `p99 (ms)`, `min_us`."""
    plain = re.sub(r"^(?:time|latency) | (?:[mun]?s|secs?|seconds|time|latency|runtime)$", "", words(name))
    if (percentile := re.fullmatch(r"(?:p ?)?(\d\d)\.?(\d?)(?:th)?( percentile)?", plain)) and re.search("p", plain):
        return of_percentile(f"{percentile[1]}.{percentile[2] or 0}")
    return next((statistic for statistic, names in _STATISTICS.items() if re.fullmatch(names, plain)), None)
