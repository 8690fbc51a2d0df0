"""Reads the commands that a user typed: which there are, what runs before them, and whether they can be found."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from sectax.model.errors import WrongUse

BASELINE = "baseline"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_DEADLINE_S = 300.0


@dataclass(frozen=True)
class Commands:
    """What is measured.

    Attributes:
        argv: name -> argument list; the baseline is first.
        prepare: name -> what runs, untimed, before every execution.
        set_up, clean_up: run once before the first block and once after the last.
    """

    argv: dict[str, tuple[str, ...]]
    prepare: dict[str, tuple[str, ...]]
    set_up: tuple[tuple[str, ...], ...]
    clean_up: tuple[tuple[str, ...], ...]
    ignore_failure: bool
    deadline_s: float


def read_commands(options: Mapping[str, tuple[str, ...]]) -> Commands:
    """Understand the options of `sectax run command`.

    Raises:
        WrongUse: a command that is missing, empty, badly quoted, named twice or not to be found.
    """
    shell = bool(options.get("shell"))
    if not options.get("baseline"):
        raise WrongUse("no baseline was given", "say --baseline 'CMD'")
    texts = {BASELINE: options["baseline"][0]}
    for given in options.get("treatment", ()):
        name, text = _named(given)
        if name in texts:
            raise WrongUse(f"two commands are called {name!r}", "give every treatment a name of its own")
        texts[name] = text
    if len(texts) == 1:
        raise WrongUse("nothing was given to compare the baseline with", "say --treatment NAME='CMD'")
    argv = {name: _split(f"command {name!r}", text, shell) for name, text in texts.items()}
    return Commands(
        argv=argv,
        prepare=_prepare(options.get("prepare", ()), tuple(texts), shell),
        set_up=tuple(_split("--setup", text, shell) for text in options.get("setup", ())),
        clean_up=tuple(_split("--cleanup", text, shell) for text in options.get("cleanup", ())),
        ignore_failure=bool(options.get("ignore-failure")),
        deadline_s=_deadline(options.get("timeout", ())),
    )


def _named(given: str) -> tuple[str, str]:
    name, separator, text = given.partition("=")
    if not separator or not _NAME.fullmatch(name):
        raise WrongUse(f"--treatment {given!r} has no name", "say --treatment NAME='CMD'")
    return name, text


def _split(what: str, text: str, shell: bool) -> tuple[str, ...]:
    if not text.strip():
        raise WrongUse(f"{what} is empty")
    if shell:
        return ("/bin/sh", "-c", text)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise WrongUse(f"{what} is badly quoted: {error}", "balance the quotes") from error
    if not words:
        raise WrongUse(f"{what} is empty")
    if shutil.which(words[0]) is None:
        hint = "give its path, or --shell where it is a shell's own word (a pipe, a variable, a built-in)"
        raise WrongUse(f"{what}: {words[0]!r} was not found or is not executable", hint)
    return words


def _prepare(given: tuple[str, ...], names: tuple[str, ...], shell: bool) -> dict[str, tuple[str, ...]]:
    """`CMD` is for all commands, `NAME=CMD` for one of them."""
    prepared: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, separator, rest = text.partition("=")
        for_one = bool(separator) and name in names
        command = _split("--prepare", rest if for_one else text, shell)
        for target in (name,) if for_one else names:
            if target in prepared:
                raise WrongUse(f"two --prepare commands are for {target!r}", "join them in a script of your own")
            prepared[target] = command
    return prepared


def _deadline(given: tuple[str, ...]) -> float:
    if not given:
        return _DEADLINE_S
    try:
        seconds = float(given[0].removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise WrongUse(f"--timeout {given[0]!r} is no number of seconds above zero", "as in --timeout 60")
    return seconds
