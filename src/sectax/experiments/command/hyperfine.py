"""Converts hyperfine's command line options to those of this experiment.

Source: https://github.com/sharkdp/hyperfine, `hyperfine --help` of versions 1.18 and 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import product

from sectax.experiments.command.commands import PER_EXECUTION
from sectax.experiments.command.scans import fill, read_scans
from sectax.experiments.levels import make_name
from sectax.experiments.named import add_unnamed
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

# Options without an equivalent, and what to use instead.
INSTEAD = {
    **dict.fromkeys(("-m", "--min-runs", "-M", "--max-runs"), "write --runs N, or --budget TIME"),
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
# hyperfine's metrics -> ours, and what to use instead of others.
_METRICS = {"time_wall_clock": "wall", "time_cpu": "cpu", "memory_peak_resident": "peak_memory"}
_PRESETS = {"default": ("wall", "peak_memory"), "time": ("wall", "cpu"), "all": ("wall", "cpu", "peak_memory")}
INSTRUCTIONS = "instructions"
_OTHER_METRICS = {
    **dict.fromkeys(("time_user", "time_system"), "write time_cpu, their sum; --export-json has both"),
    **dict.fromkeys(("cpu_cycles", "cache_references", "cache_misses", "branch_misses"), "count them by perf stat"),
}


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


def read_metrics(typed: str) -> tuple[str, ...]:
    """Our names of the metrics of `--metrics`, in order; may have `INSTRUCTIONS`. Raises `WrongUse`."""
    if typed in _PRESETS:
        return _PRESETS[typed]
    known = {**_METRICS, INSTRUCTIONS: INSTRUCTIONS}
    for name in typed.split(","):
        metric, colon, unit = name.partition(":")
        if colon:
            raise WrongUse(f"--metrics {name}: units are chosen per table", f"remove ':{unit}'; --json has base units")
        if metric not in known:
            hint = _OTHER_METRICS.get(metric) or did_you_mean(metric, (*known, *_PRESETS))
            raise WrongUse(f"--metrics: {metric!r} is not measured", hint)
    return tuple(dict.fromkeys(known[name] for name in typed.split(",")))


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
        # Those that are given once differ by value, too.
        for option in (option for option in PER_EXECUTION if len(options.get(option, ())) == 1):
            texts_of_option = tuple(fill(options[option][0], chosen, f"--{option}") for chosen in values)
            completed[option] = texts_of_option if len(set(texts_of_option)) > 1 else texts_of_option[:1]
        texts = [fill(texts[0], chosen, "the command") for chosen in values]
    return add_unnamed(texts, completed, str)
