"""`sectax.toml`: defaults for options, from the nearest one (docs/config.md)."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from sectax.formats import toml_text
from sectax.formats.bad_input import BadInput
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean
from sectax.text.printable import printable

NAME = "sectax.toml"

# Groups of options, by parameter name: one on the command line cancels the defaults of the others.
_RIVALS = (
    ("budget", "blocks", "max_blocks", "own_runs"),
    ("until", "precise", "blocks", "own_runs"),
    ("quiet", "verbose"),
)


# Options that start no program, reach no host and write no file; any other key needs `sectax trust` of the file.
HARMLESS = frozenset(
    {"all", "ascii", "blocks", "budget", "fail-if", "fail-on", "json", "limit", "margin", "max-blocks", "no-summary"}
    | {"on-unknown", "precise", "quiet", "runs", "seed", "strict", "until", "verbose", "warmup"}
)
NO_CONFIG, TRUST = "--no-config", "--trust-config"
no_config = click.option(NO_CONFIG, is_flag=True, expose_value=False, help="Take no defaults from sectax.toml.")
trust_config = click.option(
    TRUST, is_flag=True, expose_value=False, help="Use sectax.toml even if it was not trusted by `sectax trust`."
)


@dataclass(frozen=True)
class ConfigFile:
    """A `sectax.toml`: its path and content, perhaps of another revision."""

    path: Path
    text: str

    def sections(self, hint: str = "it is TOML: [run], and below it margin = '5%'") -> dict[str, Any]:
        """Parse the file. Raises `WrongUse`, with *hint*."""
        try:
            return toml_text.parse(self.text)
        except BadInput as error:
            raise WrongUse(f"{self.path} cannot be read: {error.message}", hint) from error

    def is_trusted(self) -> bool:
        from sectax.parts.cache import is_own

        mark = _mark(self.text)
        return mark.exists() and is_own(mark)

    def trust(self) -> None:
        """Remember the content of the file as trusted."""
        mark = _mark(self.text)
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.touch(mode=0o600)


# What a gate uses instead of the file in the current folder: the one of the baseline revision, or none.
_CHOSEN: ContextVar[tuple[ConfigFile | None] | None] = ContextVar("chosen", default=None)


def choose(file: ConfigFile | None) -> None:
    """Read defaults from *file* from now on; from no file if it is None."""
    _CHOSEN.set((file,))


def find() -> ConfigFile | None:
    """The nearest `sectax.toml` or None; `WrongUse` if it belongs to another user."""
    chosen = _CHOSEN.get()
    if chosen is not None:
        return chosen[0]
    folder_now = Path.cwd()
    path = next((path for folder in (folder_now, *folder_now.parents) if (path := folder / NAME).is_file()), None)
    return None if path is None else ConfigFile(path, read_text(path))


def read_text(path: Path, hint: str = "") -> str:
    """Read a TOML file; `WrongUse` with *hint* if unreadable or another user's."""
    try:
        if path.stat().st_uid not in (os.geteuid(), 0):
            raise WrongUse(f"{path} belongs to another user", f"copy it, or ignore it with {NO_CONFIG}")
        return toml_text.read_text(path)
    except (OSError, BadInput) as error:
        why = error.strerror if isinstance(error, OSError) else error.message
        raise WrongUse(f"{path} cannot be read: {why}", hint) from error


def read(path: Path, hint: str) -> dict[str, Any]:
    """Read and parse a TOML file. Raises `WrongUse`, with *hint*."""
    return ConfigFile(path, read_text(path, hint)).sections(hint)


def _mark(text: str) -> Path:
    from sectax.parts.cache import state_folder

    return state_folder() / "trusted" / hashlib.sha256(text.encode()).hexdigest()


def give_defaults(
    ctx: click.Context,
    command: click.Command,
    args: Sequence[str],
    *way: str,
    commands: Callable[[], Iterable[str]],
    below: Callable[[], Iterable[str]] = tuple,
    shared: frozenset[str] = frozenset(),
    presets: tuple[str, ...] = (),
) -> None:
    """Set the defaults of a command before it is parsed, and print those that it used.

    Args:
        ctx: context of the group of the command.
        args: the words after the command's name.
        way: names of sections down to the command's own, as in `run`, `jwt`.
        commands: names of top-level sections; below: names of sections in the first one.
        shared: options that a section above the command's own may have.
        presets: parameters that exclude each other.
    Raises:
        WrongUse: the file cannot be read, has an unknown key or section, or needs trust.
    """
    own_args = list(itertools.takewhile(lambda word: word != "--", args))
    file = None if NO_CONFIG in own_args else find()
    if file is None:
        return
    path, whole = file.path, file.sections()
    names = tuple(commands())
    for name, section in whole.items():
        if name not in names or not isinstance(section, dict):
            raise _unknown(path, "section", name, names)
    options = (param for param in command.params if isinstance(param, click.Option) and not param.is_eager)
    keys = {key: option for option in options for key in _keys(option)}
    values: dict[str, Any] = {}
    inner: Mapping[str, Any] = whole
    for depth, name in enumerate(way):
        inner = inner.get(name, {})
        is_own = depth == len(way) - 1
        place = ".".join(way[: depth + 1])
        for key, value in inner.items():
            if isinstance(value, dict):
                if is_own or key not in below():
                    raise _unknown(path, "section", f"{place}.{key}", [f"{place}.{name}" for name in below()])
                continue
            if key not in keys or not (is_own or key in shared):
                raise _unknown(path, "key", key, [name for name in keys if is_own or name in shared], place)
            values[str(keys[key].name)] = _value(path, f"{key} in [{place}]", keys[key], value)
    needs_trust = sorted(
        key
        for key, option in keys.items()
        if str(option.name) in values and key not in HARMLESS and not _is_plain_level(key, values[str(option.name)])
    )
    if needs_trust and TRUST not in own_args and not file.is_trusted():
        raise WrongUse(
            f"{path} sets {', '.join(needs_trust)}, which can start programs, and is not trusted",
            f"read it, then: sectax trust {shlex.quote(str(path))}; in CI add {TRUST}; {NO_CONFIG} ignores it",
        )
    if values:
        ctx.default_map = {**(ctx.default_map or {}), way[-1]: values}
        command.callback = _announcing(path, command, (*_RIVALS, presets))


def _is_plain_level(key: str, value: Any) -> bool:
    """Whether levels are only chosen; `language=mine=./probe` names a program."""
    return key == "level" and all(text.count("=") <= 1 for text in value)


def _announcing(path: Path, command: click.Command, rivals: tuple[tuple[str, ...], ...]) -> Callable[..., Any]:
    """The callback of a command, preceded by a line with the options from the file."""
    call = command.callback
    assert call is not None

    @functools.wraps(call)
    def echo_and_call(**values: Any) -> Any:
        options_taken = _options_from_file(click.get_current_context(), values, rivals)
        options = [text for option in options_taken for text in _as_options(option, values[str(option.name)])]
        if options and not values.get("quiet"):
            click.echo(f"from {printable(str(path))}: {', '.join(map(printable, options))}", err=True)
        return call(**values)

    return echo_and_call


def _options_from_file(
    ctx: click.Context, values: dict[str, Any], rivals: tuple[tuple[str, ...], ...]
) -> list[click.Parameter]:
    """The options from the file that the command line does not cancel."""
    source = {name: ctx.get_parameter_source(name) for name in values}
    typed = {name for name, origin in source.items() if origin is ParameterSource.COMMANDLINE}
    ours = {name for name, origin in source.items() if origin is ParameterSource.DEFAULT_MAP}
    for group in rivals:
        if typed & set(group):
            for name in ours & set(group):
                values[name] = () if isinstance(values[name], tuple) else False if values[name] is True else None
                ours = ours - {name}
    return [param for param in ctx.command.params if param.name in ours]


def _keys(parameter: click.Parameter) -> list[str]:
    """The names of an option in the file: its long names without dashes."""
    return [name.removeprefix("--") for name in parameter.opts if name.startswith("--")]


def _value(path: Path, where: str, option: click.Option, value: Any) -> Any:
    """Convert a value for click. Raises `WrongUse` for a value of another type."""
    name = where.partition(" ")[0]
    if option.is_flag:
        if not isinstance(value, bool):
            raise WrongUse(f"{path}: {where} is true or false", f"write {name} = true")
        return value
    several = value if isinstance(value, list) and option.multiple else [value]
    if not all(isinstance(entry, str | int | float) and not isinstance(entry, bool) for entry in several):
        kind = "a string or a number, or a list of them" if option.multiple else "a string or a number"
        raise WrongUse(f"{path}: {where} must be {kind}", f"write {name} = '…'")
    texts = [str(entry) for entry in several]
    return texts if option.multiple else texts[0]


def _as_options(parameter: click.Parameter, value: Any) -> list[str]:
    name = f"--{_keys(parameter)[0]}"
    if isinstance(value, bool):
        return [name] if value else []
    return [f"{name} {entry}" for entry in (value if isinstance(value, tuple) else (value,))]


def _unknown(path: Path, kind: str, name: str, names: Iterable[str], place: str = "") -> WrongUse:
    where = f" in [{place}]" if place else ""
    return WrongUse(f"{path}: there is no {kind} {name!r}{where}", did_you_mean(name, names))
