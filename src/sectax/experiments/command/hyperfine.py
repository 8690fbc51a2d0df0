"""Converts hyperfine's command line options to those of this experiment.

Source: https://github.com/sharkdp/hyperfine, `hyperfine --help` of version 1.18.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import product

from sectax.experiments.command.scans import fill, read_scans
from sectax.experiments.levels import make_name
from sectax.experiments.named import add_unnamed
from sectax.model.errors import WrongUse

# Options without an equivalent, and what to use instead.
INSTEAD = {
    **dict.fromkeys(("-m", "--min-runs", "-M", "--max-runs"), "write --runs N, or --budget TIME"),
    **dict.fromkeys(("-C", "--conclude"), "put it in the next --prepare, or in --cleanup for the end"),
    **dict.fromkeys(("-u", "--time-unit"), "units are chosen per table; --json has seconds"),
    "-q": "write --quiet",
    "-S": "--shell runs the commands through /bin/sh",
    "--style": "write --ascii or --quiet, or set NO_COLOR=1",
    "--sort": "the baseline comes first, the others in the given order",
    "--output": "write --show-output, or redirect inside the command with --shell",
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
# Values of hyperfine's --shell, as opposed to commands.
_SHELL_NAMES = frozenset({"none", "default", "sh", "bash", "dash", "zsh", "fish", "ksh"})
_MOST_VALUES = 1000


def arguments(typed: Sequence[str]) -> list[str]:
    """Convert hyperfine's options to sectax's, scans included. Raises `WrongUse`."""
    step = next((typed[index + 1] for index, word in enumerate(typed[:-1]) if word in _STEPS), "1")
    words = list(typed)
    converted: list[str] = []
    while words:
        word = words.pop(0)
        if word in _LISTS and words:
            name = words.pop(0)
            has_values = "=" in name or not words or words[0].startswith("-")
            converted += ["--scan", name if has_values else f"{name}={words.pop(0)}"]
        elif word in _RANGES:
            name, first, last = (*words[:3], "", "", "")[:3]
            del words[:3]
            converted += ["--scan", f"{name}={','.join(_range(first, last, step))}"]
        elif word in _STEPS:
            del words[:1]
        elif word in _SHELLS and words and words[0] in _SHELL_NAMES:
            converted.append(_shell(words.pop(0)))
        elif word.startswith("--shell=") and word not in _ALIASES:
            converted.append(_shell(word.partition("=")[2]))
        else:
            converted.append(_ALIASES.get(word, word))
    return converted


def _shell(name: str) -> str:
    if name in ("sh", "default", "none"):
        return "--no-shell" if name == "none" else "--shell"
    raise WrongUse(
        f"--shell runs the commands through /bin/sh, not {name!r}", f"write the command as \"{name} -c '…'\""
    )


def _range(first: str, last: str, step: str) -> list[str]:
    try:
        low, high, width = Decimal(first), Decimal(last), Decimal(step)
        if not (low <= high and width > 0 and (high - low) / width < _MOST_VALUES):
            raise InvalidOperation
    except InvalidOperation as error:
        raise WrongUse(
            f"-P: {first!r} to {last!r} with step {step!r} is not a range", "as in -P n 1 8, or -P n 1 9 -D 2"
        ) from error
    return [str(low + number * width) for number in range(int((high - low) / width) + 1)]


def with_commands(bare: Sequence[str], options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Add commands without names; one with scans compares their values."""
    texts, completed = list(bare), dict(options)
    scans = read_scans(options.get("scan", ()), ())
    if len(texts) == 1 and scans and not options.get("baseline") and not options.get("treatment"):
        values = [dict(zip(scans, chosen, strict=True)) for chosen in product(*scans.values())]
        completed.pop("scan")
        completed["values"] = tuple(",".join(map("=".join, chosen.items())) for chosen in values)
        names = options.get("name", ())
        if len(names) == 1:
            completed["name"] = tuple(make_name(fill(names[0], chosen, "the name")) for chosen in values)
        texts = [fill(texts[0], chosen, "the command") for chosen in values]
    return add_unnamed(texts, completed, str)
