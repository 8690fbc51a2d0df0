"""Parses the commands of a run and their options, and looks for their files."""

from __future__ import annotations

import functools
import math
import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from sectax.experiments.command.scans import fill, read_scans, refuse_placeholders, refuse_unused, shell_syntax
from sectax.experiments.levels import make_name, option_seconds
from sectax.experiments.named import (
    FOLDER,
    ComparedKind,
    is_name,
    named_texts,
    pair_by_name,
    split_name,
    values_by_name,
)
from sectax.experiments.on_host.places import HOST, HostPairs, read_places, sees_this_machine
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import WrongUse
from sectax.model.plan import FIRST_LOOK

COMMAND = ComparedKind("command", "'CMD'", "sectax run command 'A' 'B', or --baseline 'A' --treatment NAME='B'")
CONTROL = "command"  # the factor
# Options with placeholders.
PER_EXECUTION = ("prepare", "conclude", "env")
SHELL = ("/bin/sh", "-c")

_DEADLINE_S = 300.0
_MOST_WARMUP = 10_000
MOST_RUNS = 1_000_000

# Name for messages, and text -> argument list.
Split = Callable[[str, str], tuple[str, ...]]


@dataclass(frozen=True)
class Commands:
    """The commands of one cell, by name.

    Attributes:
        texts: as typed, with the cell's values; the baseline is first.
        argv: argument lists.
        prepare, conclude: run untimed before and after every execution.
        env: variables to set.
        common_env: those of all commands, also for --setup and --cleanup.
        set_up, clean_up: run once before the first block and after the last.
        folder: of --setup, --cleanup and --input, and start of relative paths.
        folders: working directories.
        added: known costs, as a share of the baseline.
        warmup: uncounted executions at the start of every block.
        input: file for stdin; None for an empty one.
        show_output: whether output is shown on stderr.
        places: hosts; None for this machine only.
    """

    texts: dict[str, str]
    argv: dict[str, tuple[str, ...]]
    prepare: dict[str, tuple[str, ...]]
    conclude: dict[str, tuple[str, ...]]
    env: dict[str, dict[str, str]]
    common_env: dict[str, str]
    set_up: tuple[tuple[str, ...], ...]
    clean_up: tuple[tuple[str, ...], ...]
    ignore_failure: bool
    deadline_s: float
    folder: str
    folders: dict[str, str]
    added: dict[str, float]
    warmup: int
    input: str | None
    show_output: bool
    places: HostPairs | None = None


def scans(options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Factors from scans. Raises `WrongUse`."""
    return read_scans(options.get("scan", ()), (CONTROL, HOST))


def read_cells(options: Mapping[str, tuple[str, ...]]) -> list[Commands]:
    """Commands for each combination of the scans' values. Raises `WrongUse`."""
    scanned = scans(options)
    cells = [read_commands(options, dict(zip(scanned, values, strict=True))) for values in product(*scanned.values())]
    texts = (text for name in ("baseline", "treatment", *PER_EXECUTION) for text in options.get(name, ()))
    refuse_unused(scanned, texts)
    return cells


def read_commands(options: Mapping[str, tuple[str, ...]], values: Mapping[str, str] | None = None) -> Commands:
    """Parse the options of `sectax run command`. Raises `WrongUse`.

    Args:
        values: values of the scans, by placeholder.
    """
    values = values or {}
    places = read_hosts(options)
    folder = next(iter(options.get(FOLDER, ())), ".")
    shell = bool(options.get("shell"))
    split = functools.partial(_split, shell=shell)
    typed = named_texts(COMMAND, options, alone=places is not None)
    given = options.get("name", ()) or tuple(make_name(value.replace("=", "-")) for value in options.get("values", ()))
    for name in given:
        if not is_name(name):
            raise WrongUse(f"--name {name!r} may have letters, digits and _ . + - only", f"such as {make_name(name)}")
    if len(given) > len(typed):
        raise WrongUse(f"there are more names ({len(given)}) than commands", "remove a --name, or add its command")
    names = (*given, *list(typed)[len(given) :])
    texts = dict(zip(names, typed.values(), strict=True))
    if duplicates := [name for name in texts if names.count(name) > 1]:
        raise WrongUse(f"two commands are called {duplicates[0]!r}", "give every command a different name")
    for hook in ("setup", "cleanup"):
        for text in options.get(hook, ()):
            refuse_placeholders(f"--{hook}", text, values)
    texts = {name: fill(text, values, f"command {name!r}") for name, text in texts.items()}
    filled = {
        option: tuple(fill(text, values, f"--{option}") for text in options.get(option, ())) for option in PER_EXECUTION
    }
    env = _environments(filled["env"], names)
    return Commands(
        texts=texts,
        argv={name: split(f"command {name!r}", text) for name, text in texts.items()},
        prepare=_hooks("prepare", filled["prepare"], names, split, shell=shell),
        conclude=_hooks("conclude", filled["conclude"], names, split, shell=shell),
        env=env,
        common_env=env[names[0]] if len(filled["env"]) == 1 else {},
        set_up=tuple(split("--setup", text) for text in options.get("setup", ())),
        clean_up=tuple(split("--cleanup", text) for text in options.get("cleanup", ())),
        ignore_failure=bool(options.get("ignore-failure")),
        deadline_s=option_seconds(options, "timeout", _DEADLINE_S, (0, math.inf), "--timeout 60"),
        folder=folder,
        folders=_folders(options.get("in", ()), names, folder),
        added=dict(_added(text, names) for text in options.get("added", ())),
        warmup=_number("warmup", options, 0, _MOST_WARMUP) or 0,
        input=os.path.join(folder, options["input"][0]) if options.get("input") else None,
        show_output=bool(options.get("show-output")),
        places=places,
    )


def read_hosts(options: Mapping[str, tuple[str, ...]]) -> HostPairs | None:
    """Hosts of the commands; None for this machine only. Raises `WrongUse`."""
    if not options.get(HOST):
        return None
    places = read_places(options, {})
    if options.get("show-output") and places.hosts != (LOCAL_HOST,):
        raise WrongUse("--show-output works on this machine only", "remove it, or --host")
    if options.get("input") and any(not sees_this_machine(where) for where in places.hosts):
        raise WrongUse("--input is a file of this machine, and --host has others", "put the input into the command")
    return places


def runs(options: Mapping[str, tuple[str, ...]]) -> int | None:
    """Minimum number of executions, from --runs. Raises `WrongUse`."""
    return _number("runs", options, FIRST_LOOK, MOST_RUNS)


def _number(name: str, options: Mapping[str, tuple[str, ...]], least: int, most: int) -> int | None:
    typed = next(iter(options.get(name, ())), None)
    if typed is None:
        return None
    if not re.fullmatch(r"\d{1,9}", typed):
        raise WrongUse(f"--{name} {typed!r} is not a whole number", f"as in --{name} 10")
    if not least <= int(typed) <= most:
        few = "; fewer give no verdict" if least else ""
        raise WrongUse(f"--{name} {typed} is not between {least} and {most}", f"as in --{name} 10{few}")
    return int(typed)


def check_files(commands: Commands, *, programs: bool = True) -> None:
    """Check that programs here and the --input file exist. Raises `WrongUse`.

    Args:
        programs: whether the compared programs exist already; False before --setup.
    """
    folder = commands.folder
    for option, once in (("--setup", commands.set_up), ("--cleanup", commands.clean_up)):
        for argv in once:
            _find(option, argv, folder)
    # On other machines, programs are checked when they run.
    if programs and (commands.places is None or commands.places.use_this_machine):
        for name, argv in commands.argv.items():
            if commands.folders[name] != folder and not os.path.isdir(commands.folders[name]):
                raise WrongUse(f"--in {commands.folders[name]}: there is no such folder", "check the path")
            _find(f"command {name!r}", argv, commands.folders[name])
        for option, hooks in (("--prepare", commands.prepare), ("--conclude", commands.conclude)):
            for name, argv in hooks.items():
                _find(option, argv, commands.folders[name])
    path = commands.input if programs else None
    if path is not None and not os.path.isfile(path):
        why = "is not a file" if os.path.exists(path) else "there is no such file"
        raise WrongUse(f"--input {path}: {why}", "give the file that the commands read on stdin")
    if path is not None and not os.access(path, os.R_OK):
        raise WrongUse(f"--input {path}: permission denied", "change its permissions, or copy it")


def _find(what: str, argv: tuple[str, ...], folder: str) -> None:
    if _program(argv[0], folder) is None:
        hint = "give its path; quote each whole command ('sleep 1'); use --shell for pipes and variables"
        raise WrongUse(f"{what}: {argv[0]!r} was not found or is not executable", hint)


def _split(what: str, text: str, *, shell: bool) -> tuple[str, ...]:
    if shell and text.strip():
        return (*SHELL, text)
    syntax = shell_syntax(text)
    if syntax is not None:
        raise WrongUse(
            f"{what} contains {_quoted(syntax)}, which needs a shell, and commands run without one",
            f"add --shell to run all commands through /bin/sh, or {_without_shell(syntax)}",
        )
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise WrongUse(f"{what} is badly quoted", "balance the quotes") from error
    if not words:
        raise WrongUse(f"{what} is empty", "give a command, as in 'sleep 1'")
    return words


def _quoted(syntax: str) -> str:
    return "a line break" if syntax == "\n" else f"{syntax!r}"


def _without_shell(syntax: str) -> str:
    if syntax.endswith("="):
        return f"put env before it: env {syntax}… CMD"
    if syntax == "\n":
        return "write it on one line"
    return f"quote it if it is meant literally: {shlex.quote(syntax)}"


def command_files(argv: tuple[str, ...], folder: str) -> str:
    """Describe the program and files of a command, with sizes and times."""
    program = _program(argv[0], folder)
    files = [program] if program is not None else []
    files += [path for word in argv[1:] if os.path.isfile(path := os.path.join(folder, word))]
    described = []
    for path in files:
        status = os.stat(path)
        described.append(f"{path} {status.st_size} bytes, changed {_time_of_day(status.st_mtime_ns)}")
    return f"in {folder}: {'; '.join(described)}"


def _time_of_day(nanoseconds: int) -> str:
    """A time with nanoseconds, to distinguish quick successive versions."""
    seconds, rest = divmod(nanoseconds, 10**9)
    try:
        return f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(seconds))}.{rest:09d} UTC"
    except (OverflowError, ValueError, OSError):
        return f"{nanoseconds} ns after 1970"  # out of range


def _program(word: str, folder: str) -> str | None:
    return shutil.which(os.path.join(folder, word) if "/" in word else word)


def _folders(texts: tuple[str, ...], names: tuple[str, ...], folder: str) -> dict[str, str]:
    named = values_by_name("in", pair_by_name(COMMAND, "in", texts, names))
    if not all(named.values()):
        raise WrongUse("--in has no folder", "use --in DIR, or --in NAME=DIR")
    return {name: os.path.join(folder, named[name]) if name in named else folder for name in names}


def _added(text: str, names: tuple[str, ...]) -> tuple[str, float]:
    name, share = split_name(text)
    match = re.fullmatch(r"(\d{1,4}(?:\.\d{1,3})?)%", share)
    if name not in names[1:] or match is None or not float(match[1]):
        hint = f"as in --added {names[1] if len(names) > 1 else 'NAME'}=8%, for any command but the baseline"
        raise WrongUse(f"--added {text!r} is not NAME=PERCENT", hint)
    return name, float(match[1]) / 100


def _hooks(
    option: str, texts: tuple[str, ...], names: tuple[str, ...], split: Split, *, shell: bool
) -> dict[str, tuple[str, ...]]:
    """Preparations or conclusions: `CMD` for all, `NAME=CMD` for one, or as many as commands.

    With a shell, any other NAME is a variable to set.
    """
    pairs = pair_by_name(COMMAND, option, texts, names, any_text=shell)
    if len(texts) == len(names) > 1 and len(pairs) == len(texts) * len(names):
        pairs = list(zip(names, texts, strict=True))
    return {name: split(f"--{option}", text) for name, text in values_by_name(option, pairs).items()}


def _environments(texts: tuple[str, ...], names: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """The variables of each command, given once for all or once for each. Raises `WrongUse`."""
    if len(texts) not in (0, 1, len(names)):
        raise WrongUse(
            f"--env is given {len(texts)} times for {len(names)} commands",
            "give it once for all, or once for each in their order; --env '' sets nothing",
        )
    read = tuple(map(_assignments, texts or ("",)))
    return dict(zip(names, read * len(names) if len(read) == 1 else read, strict=True))


def _assignments(text: str) -> dict[str, str]:
    as_in = """as in --env 'THREADS=8 FLAGS="-O3 -g"'"""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise WrongUse("--env is badly quoted", as_in) from error
    for word in words:
        if not re.match(r"[A-Za-z_]\w*=", word, re.ASCII):
            raise WrongUse(f"--env: {word.partition('=')[0]!r} is not NAME=VALUE", as_in)
        if "\0" in word:
            raise WrongUse("--env has a NUL byte", as_in)
    return dict(word.split("=", 1) for word in words)
