"""A command line as hyperfine's users type it, in this experiment's own options.

Source: https://github.com/sharkdp/hyperfine, `hyperfine --help` of version 1.18.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import product

from sectax.experiments.command.scans import fill, read_scans
from sectax.experiments.levels import as_name
from sectax.experiments.named import with_bare
from sectax.model.errors import WrongUse

# Options that have no equal here, and what to write for them.
INSTEAD = {
    **dict.fromkeys(("-m", "--min-runs", "-M", "--max-runs"), "write --runs N, or --budget TIME"),
    **dict.fromkeys(("-C", "--conclude"), "put it into the next --prepare, or --cleanup for the end"),
    **dict.fromkeys(("-u", "--time-unit"), "units are chosen for each table; --json has seconds"),
    "-q": "write --quiet",
    **dict.fromkeys(("-S",), "--shell runs the commands through /bin/sh"),
    **dict.fromkeys(("--style",), "write --ascii or --quiet, or set NO_COLOR=1"),
    **dict.fromkeys(("--sort",), "the baseline comes first, and the others as they are given"),
    **dict.fromkeys(("--output",), "write --show-output, or redirect inside the command with --shell"),
    **dict.fromkeys(
        ("--export-csv", "--export-markdown", "--export-asciidoc", "--export-orgmode"),
        "write sectax report RUN --format csv (or markdown) after the run",
    ),
    "--reference": "write --baseline 'CMD'",
}
_LISTS = ("-L", "--parameter-list")
_RANGES = ("-P", "--parameter-scan")
_STEPS = ("-D", "--parameter-step-size")
_ALIASES = {
    "--command-name": "--name",
    "--ignore-failure=all-non-zero": "--ignore-failure",
    "--shell=none": "--no-shell",
    "-Snone": "--no-shell",
}
_SHELLS = ("-S", "--shell")
# What hyperfine's users name behind --shell; no command to be measured.
_NAMES_OF_SHELLS = frozenset({"none", "default", "sh", "bash", "dash", "zsh", "fish", "ksh"})
_MOST_VALUES = 1000


def arguments(typed: Sequence[str]) -> list[str]:
    """`-L a 1,2` as `-L a=1,2`, and `-P n 1 5 -D 2` as `-L n=1,3,5`. Raises `WrongUse` for a range without numbers."""
    step = next((typed[at + 1] for at, word in enumerate(typed[:-1]) if word in _STEPS), "1")
    words = list(typed)
    words_of_ours: list[str] = []
    while words:
        word = words.pop(0)
        if word in _LISTS and words:
            name = words.pop(0)
            alone = "=" in name or not words or words[0].startswith("-")
            words_of_ours += ["--scan", name if alone else f"{name}={words.pop(0)}"]
        elif word in _RANGES:
            name, first, last = (*words[:3], "", "", "")[:3]
            del words[:3]
            words_of_ours += ["--scan", f"{name}={','.join(_range(first, last, step))}"]
        elif word in _STEPS:
            del words[:1]
        elif word in _SHELLS and words and words[0] in _NAMES_OF_SHELLS:
            words_of_ours.append(_shell(words.pop(0)))
        elif word.startswith("--shell=") and word not in _ALIASES:
            words_of_ours.append(_shell(word.partition("=")[2]))
        else:
            words_of_ours.append(_ALIASES.get(word, word))
    return words_of_ours


def _shell(name: str) -> str:
    if name in ("sh", "default", "none"):
        return "--no-shell" if name == "none" else "--shell"
    raise WrongUse(f"--shell runs the commands through /bin/sh, and not {name!r}", f"as in \"{name} -c '…'\"")


def _range(first: str, last: str, step: str) -> list[str]:
    try:
        low, high, by = Decimal(first), Decimal(last), Decimal(step)
        if not (low <= high and by > 0 and (high - low) / by < _MOST_VALUES):
            raise InvalidOperation
    except InvalidOperation as error:
        raise WrongUse(
            f"-P takes a name and a range, not {first!r} to {last!r} by {step!r}", "as in -P n 1 8, or -P n 1 9 -D 2"
        ) from error
    return [str(low + number * by) for number in range(int((high - low) / by) + 1)]


def with_commands(bare: Sequence[str], options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The options with commands that were given without names: the first is the baseline, where none was named.

    One command with scans compares their values, as hyperfine does.
    """
    texts, completed = list(bare), dict(options)
    scans = read_scans(options.get("scan", ()), ())
    if len(texts) == 1 and scans and not options.get("baseline") and not options.get("treatment"):
        values = [dict(zip(scans, chosen, strict=True)) for chosen in product(*scans.values())]
        completed.pop("scan")
        completed["values"] = tuple(",".join(map("=".join, chosen.items())) for chosen in values)
        called = options.get("name", ())
        if len(called) == 1:
            completed["name"] = tuple(as_name(fill(called[0], chosen, "the name")) for chosen in values)
        texts = [fill(texts[0], chosen, "the command") for chosen in values]
    return with_bare(texts, completed, str)
