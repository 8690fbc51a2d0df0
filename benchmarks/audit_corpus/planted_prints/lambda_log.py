"""Defects in logs of AWS Lambda."""

from __future__ import annotations

import re

import numpy as np

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng, cut_before, each_match, instead

_REPORT = r"^(.*REPORT RequestId: )([0-9a-f-]+)(.*)$"
_DURATION = r"(REPORT RequestId: \S+\s+Duration: )([\d.]+)( ms\s+Billed Duration: )(\d+)( ms)"


def _reports(text: str) -> int:
    return len(re.findall(r"REPORT RequestId:", text))


def _where_some(plant: Plant, least: int = 5) -> Plant:
    return lambda text, rng: plant(text, rng) if _reports(text) >= least else None


def _in_some(change: str, share: float, pattern: str = _REPORT) -> Plant:
    """Every so many REPORT lines changed."""

    def put(text: str, rng: Rng) -> str | None:
        every = max(1, round(1 / share))
        count = 0

        def one(found: re.Match[str]) -> str:
            nonlocal count
            count += 1
            return found.expand(change) if count % every == 1 or every == 1 else found[0]

        return re.sub(pattern, one, text, flags=re.MULTILINE)

    return put


def _later_half(old: str, new: str) -> Plant:
    def put(text: str, _: Rng) -> str | None:
        places = [found.start() for found in re.finditer(r"^.*REPORT RequestId", text, re.MULTILINE)]
        at = places[len(places) // 2]
        changed = re.sub(old, new, text[at:])
        return None if changed == text[at:] else text[:at] + changed

    return put


def _starts(version: str) -> Plant:
    """START lines before the REPORT lines, of which the later ones are of another version."""

    def put(text: str, _: Rng) -> str | None:
        if "START RequestId" in text:
            changed = text.replace("Version: $LATEST", version)
            at = len(text) // 2
            return None if changed == text else text[:at] + text[at:].replace("Version: $LATEST", version)
        lines, count, half = [], 0, _reports(text) // 2
        for line in text.split("\n"):
            found = re.search(r"REPORT RequestId: (\S+)", line)
            if found is not None:
                count += 1
                lines.append(f"START RequestId: {found[1]} {version if count > half else 'Version: $LATEST'}")
            lines.append(line)
        return "\n".join(lines)

    return put


def _runtimes(text: str, _: Rng) -> str | None:
    arn = (
        "INIT_START Runtime Version: python:3.{minor}.v{build}\tRuntime Version ARN: arn:aws:lambda:x::runtime:{build}"
    )
    at = text.find("\n", len(text) // 2) + 1
    return f"{arn.format(minor=11, build=11)}\n{text[:at]}{arn.format(minor=12, build=24)}\n{text[at:]}"


def _unfinished(text: str, _: Rng) -> str | None:
    starts = [f"START RequestId: {at:08x}-aaaa-bbbb-cccc-000000000000 Version: $LATEST" for at in range(5)]
    return "\n".join([*starts, text])


def _zeros(text: str, rng: Rng) -> str | None:
    del rng
    rows = [
        f"REPORT RequestId: {at:08x}-0000-0000-0000-000000000000\tDuration: 0.00 ms\tBilled Duration: 1 ms\t"
        "Memory Size: 512 MB\tMax Memory Used: 68 MB\t"
        for at in range(40)
    ]
    return "\n".join([text.rstrip("\n"), *rows, ""])


_KINDS = (
    Kind(
        "timed out",
        "F said-by-the-tool|unequal-work",
        instead(r"^(.*)(REPORT RequestId: )(\S+)", r"\g<1>\g<3> Task timed out after 3.00 seconds\n\g<0>"),
    ),
    Kind(
        "one of many timed out",
        "W said-by-the-tool|unequal-work",
        instead(r"^(.*)(REPORT RequestId: )(\S+)", r"\g<1>\g<3> Task timed out after 3.00 seconds\n\g<0>", first=True),
    ),
    Kind("status error", "F unequal-work", _in_some(r"\1\2\3\tStatus: error\tError Type: Runtime.ExitError", 0.2)),
    Kind(
        "at the timeout, and nobody says so",
        "W said-by-the-tool|contradiction|modes|drift",
        _where_some(_in_some(r"\g<1>3000.00\g<3>3000\g<5>", 0.25, _DURATION), 8),
    ),
    Kind("an unhandled exception", "F unequal-work", instead(_REPORT, r"[ERROR] KeyError: 'body'\n\g<0>")),
    Kind(
        "a runtime that exited",
        "F unequal-work",
        instead(_REPORT, r"Error: Runtime exited with error: signal: killed Runtime.ExitError\n\g<0>"),
    ),
    Kind(
        "an exception of Node",
        "F unequal-work",
        instead(_REPORT, '2026-01-01T00:00:00Z\t\\2\tERROR\tInvoke Error \t{"errorType":"TypeError"}\n\\g<0>'),
    ),
    Kind(
        "out of memory",
        "W said-by-the-tool|contradiction|weak-claims",
        each_match(
            r"Memory Size: (\d+) MB(\s+)Max Memory Used: \d+ MB",
            lambda found: f"Memory Size: {found[1]} MB{found[2]}Max Memory Used: {found[1]} MB",
        ),
    ),
    Kind(
        "more memory used than there is",
        "F contradiction",
        each_match(
            r"Memory Size: (\d+) MB(\s+)Max Memory Used: \d+ MB",
            lambda found: f"Memory Size: {found[1]} MB{found[2]}Max Memory Used: {3 * int(found[1])} MB",
        ),
    ),
    Kind(
        "billed for less than it took",
        "F contradiction",
        each_match(_DURATION, lambda found: f"{found[1]}{found[2]}{found[3]}{int(float(found[2])) // 3}{found[5]}"),
    ),
    Kind(
        "billed for far more than it took",
        "F contradiction",
        each_match(
            _DURATION, lambda found: f"{found[1]}{found[2]}{found[3]}{9 * int(float(found[2])) + 5000}{found[5]}"
        ),
    ),
    Kind(
        "two memory sizes",
        "W apples-and-oranges|said-by-the-tool",
        _where_some(_later_half(r"Memory Size: \d+ MB", "Memory Size: 3008 MB")),
    ),
    Kind("two versions", "W apples-and-oranges|said-by-the-tool|contradiction", _where_some(_starts("Version: 12"))),
    Kind("two runtimes", "W apples-and-oranges|said-by-the-tool|contradiction", _where_some(_runtimes)),
    Kind("invocations without an end", "W said-by-the-tool", _unfinished),
    Kind(
        "retries of one request",
        "W said-by-the-tool|copied-data|unequal-work",
        _where_some(each_match(_REPORT, lambda found: f"{found[1]}aaaaaaaa-0000-0000-0000-000000000001{found[3]}")),
    ),
    Kind(
        "the log twice",
        "W duplicate-data|copied-data|said-by-the-tool|timer",
        _where_some(lambda text, _: f"{text.rstrip()}\n{text}"),
    ),
    Kind("times of nothing", "F timer", _where_some(_zeros, 8)),
    Kind(
        "the listing failed",
        "W said-by-the-tool",
        lambda text, _: f"{text}\nAn error occurred (ThrottlingException) when calling the FilterLogEvents operation\n",
    ),
    Kind("cut within a line", "refused or W said-by-the-tool|apples-and-oranges", cut_before(r"Billed Duration")),
    Kind(
        "a cold start that no one marks",
        "W first-trial|modes|drift|said-by-the-tool",
        _where_some(
            instead(
                r"(REPORT.*Duration: )[\d.]+( ms\s+Billed Duration: )\d+(.*?)\s+Init Duration: .*",
                r"\g<1>4211.90\g<2>4212\g<3>",
                first=True,
            ),
            12,
        ),
    ),
)


def _log(seed: int, count: int, memory: int) -> str:
    """Whole invocations as the console shows them, one cold start in front."""
    rng = np.random.default_rng(seed)
    lines = ["INIT_START Runtime Version: nodejs:20.v40\tRuntime Version ARN: arn:aws:lambda:us-east-1::runtime:4f1"]
    for at in range(count):
        name = f"{rng.integers(2**32):08x}-1111-2222-3333-{rng.integers(2**47):012x}"
        took = float(24 * np.exp(rng.normal(0, 0.2)))
        init = "\tInit Duration: 231.44 ms" if at == 0 else ""
        lines += [
            f"START RequestId: {name} Version: $LATEST",
            f"END RequestId: {name}",
            f"REPORT RequestId: {name}\tDuration: {took:.2f} ms\tBilled Duration: {int(took) + 1} ms\t"
            f"Memory Size: {memory} MB\tMax Memory Used: {memory // 3} MB{init}\t",
        ]
    return "\n".join([*lines, ""])


FORMATS = (
    Format(
        "lambda",
        _KINDS,
        prints=("lambda",),
        others={"the console's": _log(1, 30, 256), "a larger one": _log(2, 400, 1769), "a short one": _log(3, 12, 128)},
    ),
)
