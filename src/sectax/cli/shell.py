"""Shell completion, written to the user's own folders."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from click.shell_completion import ShellComplete, get_completion_class

from sectax.model.errors import WrongUse
from sectax.parts.files import write_whole

PROGRAM = "sectax"
VARIABLE = "_SECTAX_COMPLETE"


def install(root: click.Command, say: Callable[[str], None]) -> None:
    """Write missing completion files, and print where each file is.

    Raises:
        WrongUse: a file cannot be written.
    """
    for what, path, text, needs in _files(root):
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            say(f"{what} is in place: {path}")
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
        except OSError as error:
            raise WrongUse(
                f"{what} cannot be written to {path}: {error.strerror}", "make its folder writable"
            ) from error
        say(f"{what}: wrote {path}" + (f" ({needs})" if needs else ""))


def complete(root: click.Command) -> int:
    """Answer a completion request of a shell. Returns the exit status."""
    shell, _, instruction = os.environ[VARIABLE].partition("_")
    kind = get_completion_class(shell)
    if kind is None or instruction != "complete":
        return 1
    click.echo(_completion(kind, root).complete())
    return 0


def _completion(kind: type[ShellComplete], root: click.Command) -> ShellComplete:
    return kind(root, {}, PROGRAM, VARIABLE)


def _files(root: click.Command) -> Iterator[tuple[str, Path, str, str]]:
    """Name, path, content and further step of each shell's file."""
    data, config = _base("XDG_DATA_HOME", ".local/share"), _base("XDG_CONFIG_HOME", ".config")
    zsh = data / "zsh" / "site-functions"
    places = {
        "bash": (data / "bash-completion" / "completions" / PROGRAM, "new shells have it, with bash-completion"),
        "zsh": (zsh / f"_{PROGRAM}", f"in ~/.zshrc, before compinit: fpath+=({zsh})"),
        "fish": (config / "fish" / "completions" / f"{PROGRAM}.fish", "new shells have it"),
    }
    for shell, (path, needs) in places.items():
        kind = get_completion_class(shell)
        if kind is not None and shutil.which(shell) is not None:
            # Not `source()`, which starts the shell to find its version.
            completion = _completion(kind, root)
            yield f"completion for {shell}", path, completion.source_template % completion.source_vars(), needs


def _base(variable: str, otherwise: str) -> Path:
    folder = os.environ.get(variable, "")
    return Path(folder) if os.path.isabs(folder) else Path.home() / otherwise
