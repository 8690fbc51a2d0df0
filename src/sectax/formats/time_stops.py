"""Command lines of programs that stop after a time instead of an amount of work."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from sectax.model.plan import Plan


@dataclass(frozen=True)
class _Program:
    """How a program is told its duration.

    Attributes:
        options: options with the duration; the first operand where there is none.
        default_s: the duration without such an option; None if the program then ends by its work.
        needs: a word without which it does something else.
        counts: options with an amount of work, which make the duration a limit.
        limit_without: an option without which the duration is a limit; '-' where it always is.
        repeats: whether it measures several things, each for that time.
    """

    options: tuple[str, ...] = ()
    default_s: float | None = None
    needs: str = ""
    counts: tuple[str, ...] = ()
    limit_without: str = ""
    repeats: bool = False


# Each tool's own manual: `wrk --help`, `man ab`, ….
_PROGRAMS = {
    "ab": _Program(("-t",), limit_without="-"),
    "autocannon": _Program(("-d", "--duration"), 10, counts=("-a", "--amount")),
    "bombardier": _Program(("-d", "--duration"), 10, counts=("-n", "--requests")),
    "fio": _Program(("--runtime",), limit_without="--time_based"),
    "fortio": _Program(("-t",), 5, needs="load", counts=("-n",)),
    "go": _Program(("-benchtime", "--benchtime"), needs="test", repeats=True),
    "h2load": _Program(("-D", "--duration")),
    "hey": _Program(("-z",)),
    "iperf": _Program(("-t", "--time"), 10, needs="-c", counts=("-n", "--num")),
    "iperf3": _Program(("-t", "--time"), 10, needs="-c", counts=("-n", "--bytes", "-k", "--blockcount")),
    "k6": _Program(("-d", "--duration"), needs="run", counts=("-i", "--iterations")),
    "memtier_benchmark": _Program(("--test-time",)),
    "oha": _Program(("-z",)),
    "openssl": _Program(("-seconds",), 3, needs="speed", repeats=True),
    "pgbench": _Program(("-T", "--time")),
    "siege": _Program(("-t", "--time")),
    "stress": _Program(("-t", "--timeout")),
    "stress-ng": _Program(("-t", "--timeout")),
    "sysbench": _Program(("--time", "--max-time"), 10, needs="run", counts=("--events", "--max-requests")),
    "timeout": _Program(limit_without="-"),
    "vegeta": _Program(("-duration", "--duration"), needs="attack"),
    "wrk": _Program(("-d", "--duration"), 10),
    "wrk2": _Program(("-d", "--duration"), 10),
}
# Programs whose arguments are a command line.
_WRAPPERS = frozenset(
    ["chrt", "env", "ionice", "nice", "nohup", "numactl", "setarch", "stdbuf", "sudo", "taskset", "time", "timeout"]
)
_SHELLS = {"bash", "dash", "ksh", "sh", "zsh"}
_OPERATOR = re.compile(r"[();<>|&]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d|)")
_SCALES = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = 10_000
# A program that stops by time ends a little late, and never early.
_EARLY, _LATE, _START_S = 0.995, 1.05, 0.3


@dataclass(frozen=True)
class TimeStop:
    """What stops a command: program and option, and after how many seconds.

    Attributes:
        seconds: None where they are not known, or where each of several parts takes them.
        is_limit: whether its work may end earlier.
    """

    words: str
    seconds: float | None
    is_limit: bool

    def explains(self, lasted_s: float) -> bool:
        """Whether the command lasted as long as it was told to."""
        if self.seconds is None:
            return not self.is_limit
        return _EARLY * self.seconds <= lasted_s <= _LATE * self.seconds + _START_S


@lru_cache(maxsize=1024)
def find_time_stop(command: str) -> TimeStop | None:
    """What stops a command line, also one of a shell; None if that is its work."""
    if len(command) > _LONGEST:
        return None
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # badly quoted
        return None
    stops = list(_stops(words))
    return next((stop for stop in stops if not stop.is_limit), stops[0] if stops else None)


def _stops(words: list[str]) -> Iterator[TimeStop]:
    begins, wrapped = True, False
    for at, word in enumerate(words):
        name = PurePosixPath(word).name
        if _OPERATOR.fullmatch(word):
            begins, wrapped = True, False
            continue
        if begins or wrapped:
            following = words[at + 1 :]
            end = next((place for place, other in enumerate(following) if _OPERATOR.fullmatch(other)), None)
            arguments = following[:end]
            if name in _SHELLS and "-c" in arguments[:-1]:
                inner = find_time_stop(arguments[arguments.index("-c") + 1])
                yield from [inner] if inner is not None else []
            elif (stop := _stop(name, arguments)) is not None:
                yield stop
        wrapped |= begins and name in _WRAPPERS
        begins = begins and _ASSIGNMENT.match(word) is not None


def _stop(name: str, arguments: list[str]) -> TimeStop | None:
    program = _PROGRAMS.get(name)
    if program is None or (program.needs and program.needs not in arguments):
        return None
    typed = _typed(program.options, arguments) if program.options else _operand(arguments)
    limited = bool(program.limit_without) and program.limit_without not in arguments
    is_limit = limited or _typed(program.counts, arguments) is not None
    if typed is None:
        seconds = program.default_s
        words = f"{name}, {seconds:g} s by default" if seconds is not None else ""
    else:
        words, value = f"{name} {typed[0]}", typed[1]
        seconds = _seconds(value)
        if seconds is None and "{" not in value and "$" not in value:
            return None  # a count, such as Go's 100x
    if not words or seconds == 0:
        return None
    return TimeStop(words, None if program.repeats else seconds, is_limit)


def _typed(options: tuple[str, ...], arguments: list[str]) -> tuple[str, str] | None:
    """The last of these options as typed, and its value."""
    found = None
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        for option in options:
            is_short = len(option) == 2
            if word == option:
                found = f"{word} {following}", following
            elif word.startswith(f"{option}="):
                found = word, word.partition("=")[2]
            elif is_short and word.startswith(option) and word[2:3].isdigit():
                found = word, word[2:]
    return found


def _operand(arguments: list[str]) -> tuple[str, str] | None:
    before = ["", *arguments]
    return next(
        (
            (word, word)
            for word, previous in zip(arguments, before, strict=False)
            if word[:1].isdigit() and previous not in ("-k", "-s", "--kill-after", "--signal")
        ),
        None,
    )


def _seconds(text: str) -> float | None:
    """A duration such as 5, 30s or 1m30s."""
    parts = _PART.findall(text.lower())
    if not parts or "".join(map("".join, parts)) != text.lower():
        return None
    total = math.fsum(float(number) * _SCALES[unit] for number, unit in parts)
    return total if math.isfinite(total) else None


def compared_texts(plan: Plan) -> dict[str, str]:
    """The compared commands by name, as typed; empty for most experiments."""
    texts = [*plan.options.get("baseline", ()), *(text.partition("=")[2] for text in plan.options.get("treatment", ()))]
    names = ["baseline", *(text.partition("=")[0] for text in plan.options.get("treatment", ()))]
    given = next((factor.levels for factor in plan.factors if factor.name == plan.control), ())
    return dict(zip(given if len(given) == len(texts) else names, texts, strict=False))
