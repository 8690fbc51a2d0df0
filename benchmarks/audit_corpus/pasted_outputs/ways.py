"""Ways in which people paste an output: each leaves all of it there, so that the audit must say the same of it."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable

PROSE = "We ran this on our staging machine last week, and were rather surprised.\n"
COMMANDS = {
    "sysbench": "sysbench cpu --threads=4 run",
    "openssl-speed": "openssl speed sha256",
    "lambda": "aws logs tail /aws/logs --since 1h",
    "go-bench": "go test -bench . -count 5",
    "jmh": "java -jar target/benchmarks.jar",
    "criterion": "cargo bench",
    "warp": "warp get --duration 1m",
    "wrk": "wrk --latency \\\n  -s script.lua",
    "ab": "ab \\\n    -k",
    "hey": "hey",
    "k6": "k6 run script.js",
}
COMPILING = (
    "   Compiling serde v1.0.190\n    Finished release [optimized] target(s) in 12.31s\ngcc -O2 -o main main.c\n"
)
TIMED = "\nreal    0m30.214s\nuser    0m12.881s\nsys     0m4.002s\n"
DOCKER = (
    "CONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT     MEM %     NET I/O           BLOCK I/O   PIDS\n"
    "2f1b6c0f9a11   api       97.31%    112.4MiB / 7.66GiB    1.43%     1.2GB / 3.4GB     0B / 0B     23\n"
)

Way = Callable[[str], str | bytes]


def before_each(mark: str, *, blank: str | None = None) -> Way:
    """Every line behind a mark, in which {n} is its number; an empty line behind *blank*, or the mark alone."""

    def way(text: str) -> str:
        return "".join(
            (f"{mark}{line}" if line else (mark.rstrip() if blank is None else blank)).replace("{n}", f"{at % 60:02}")
            + "\n"
            for at, line in enumerate(_lines(text))
        )

    return way


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def around(before: str, after: str) -> Way:
    return lambda text: f"{before}{text}{'' if text.endswith(chr(10)) else chr(10)}{after}"


def _coloured(text: str) -> str:
    return "".join(
        f"\x1b[0m\x1b[1;3{at % 8}m{line[: len(line) // 2]}\x1b[0m{line[len(line) // 2 :]}\x1b[K\n"
        for at, line in enumerate(_lines(text))
    )


def _bold(text: str) -> str:
    """As people do with what they ask about; in a document of JSON nobody does."""
    return text if text.startswith(("{", "[")) else re.sub(r"(?<![\w.,:*/-])(\d+(?:\.\d+)?)(?=\s)", r"**\1**", text)


def _in_code(text: str) -> str:
    return f"<html><body>\n<pre><code>{html.escape(text)}</code></pre>\n<p>Is that good?</p>\n"


def _with_breaks(text: str) -> str:
    return "".join(f"{html.escape(line)}<br>\n" for line in _lines(text))


WAYS: dict[str, Way] = {
    "four blanks": before_each("    ", blank=""),
    "a tab": before_each("\t", blank=""),
    "thirty blanks": before_each(" " * 30, blank=""),
    "all blanks": before_each("  "),
    "no margin": lambda text: "".join(f"{line.lstrip()}\n" for line in _lines(text)),
    "quoted": before_each("> "),
    "quoted twice": before_each("> > "),
    "quoted closely": before_each(">"),
    "a bar": before_each("| "),
    "a frame": lambda text: "".join(f"│ {line:<100} │\n" for line in _lines(text)),
    "a fence": around("```\n", "```\n"),
    "a report": around(f"# Results\n\n{PROSE}\n## Numbers\n\n```text\n", f"```\n\n{PROSE}"),
    "a list": lambda text: f"1. First we did this:\n\n{textwrap.indent(text, '   ')}\n2. Then nothing.\n",
    "prose": around(PROSE * 2, PROSE),
    "blank lines between": lambda text: "".join(f"{line}\n\n" for line in _lines(text)),
    "no blank lines": lambda text: "".join(f"{line}\n" for line in _lines(text) if line.strip()),
    "trailing blanks": lambda text: "".join(f"{line}   \t\n" for line in _lines(text)),
    "no trailing blanks": lambda text: "".join(f"{line.rstrip()}\n" for line in _lines(text)),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "CR CRLF": lambda text: text.replace("\n", "\r\r\n").encode(),
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
    "UTF-16, big": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "colours": _coloured,
    "non-breaking spaces": lambda text: text.replace("  ", " \xa0"),
    "all blanks non-breaking": lambda text: text.replace(" ", "\xa0"),
    "zero width": lambda text: "".join(f"\u200b{line}\ufeff\n" for line in _lines(text)),
    "bold numbers": _bold,
    "HTML": _in_code,
    "entities": html.escape,
    "line breaks": _with_breaks,
    "one line of HTML": lambda text: f"<p>{html.escape(text).replace(chr(10), '<br/>')}</p>\n",
    "GitHub": before_each("2024-01-01T00:00:{n}.1234567Z "),
    "GitHub, listed": before_each("build\tRun benchmarks\t2024-01-01T00:00:{n}.1234567Z "),
    "GitLab": before_each("2024-01-01T00:00:{n}.123456Z 01O "),
    "Jenkins": before_each("[2024-01-01T00:00:{n}.123Z] "),
    "clock": before_each("12:03:{n} "),
    "compose": before_each("wrk-1  | "),
    "kubectl": before_each("[pod/load-7d9f6c5b8-x2x4q/load] "),
    "kubectl with times": before_each("[pod/load-7d9f6c5b8-x2x4q/load] 2024-01-01T00:00:{n}.123456789Z "),
    "journal": before_each("Jan 01 00:00:{n} bench-host load[1234]: "),
    "syslog": before_each("2024-01-01T00:00:{n}.123456+00:00 bench-host load[1234]: "),
    "ant": before_each("     [exec] "),
    "maven": before_each("[INFO] "),
    "sbt": before_each("[info] "),
    "docker build": before_each("#12 {n}.345 "),
    "logger": before_each("2024/01/01 00:00:{n} "),
    "vagrant": before_each("    default: "),
    "# comment": before_each("# "),
    "// comment": before_each("// "),
    "* comment": before_each(" * "),
    "-- comment": before_each("-- "),
    "; comment": before_each("; "),
    "added": before_each("+"),
    "removed": before_each("-"),
    "a patch": around("diff --git a/r.txt b/r.txt\n--- /dev/null\n+++ b/r.txt\n@@ -0,0 +1,9 @@\n", ""),
    "line numbers": lambda text: "".join(f"{at:6}\t{line}\n" for at, line in enumerate(_lines(text), 1)),
    "numbers of grep": lambda text: "".join(f"{at}:{line}\n" for at, line in enumerate(_lines(text), 1)),
    "back quotes": lambda text: "".join(f"`{line}`\n" if line else "\n" for line in _lines(text)),
    "time": around("", TIMED),
    "docker stats": around(DOCKER, DOCKER),
    "compiled": around(COMPILING, ""),
}
# What people do most.
COMMON = (
    "four blanks", "quoted", "a fence", "a report", "no blank lines", "blank lines between", "CRLF", "UTF-16",
    "colours", "non-breaking spaces", "HTML", "GitHub", "compose", "maven", "# comment", "added", "time",
)  # fmt: skip


def broken_at(width: int) -> Way:
    """By a terminal: in the middle of words."""
    return lambda text: "".join(
        f"{line[at : at + width]}\n" for line in _lines(text) for at in range(0, max(len(line), 1), width)
    )


def filled_to(width: int) -> Way:
    """By an editor or a mail: between words."""

    def way(text: str) -> str:
        lines = (
            textwrap.wrap(line.expandtabs(4), width, drop_whitespace=False, break_on_hyphens=False) or [""]
            for line in _lines(text)
        )
        return "".join(f"{piece.rstrip()}\n" for pieces in lines for piece in pieces)

    return way


def typed(text: str, tool: str, prompt: str) -> str:
    """The command line above its output."""
    return f"{prompt}{COMMANDS.get(tool, 'cat result.json')}\n{text}"


PROMPTS = (
    "$ ",
    "user@host:~/work$ ",
    "PS C:\\bench> ",
    "# ",
    "❯ ",
    "[root@bench ~]# ",
    "C:\\bench>",
    "➜  bench git:(main) ✗ ",
)
