"""Completion for shells and a man page, made of the commands themselves and put into the user's own folders."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from click.shell_completion import ShellComplete, get_completion_class

from sectax import __version__
from sectax.model.errors import WrongUse
from sectax.parts.files import write_whole

PROGRAM = "sectax"
VARIABLE = "_SECTAX_COMPLETE"


def install(root: click.Command, say: Callable[[str], None]) -> None:
    """Write what is not in place yet, and say of each file where it is.

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
    """Answer a shell that asks what could come next. Returns the exit status."""
    shell, _, instruction = os.environ[VARIABLE].partition("_")
    kind = get_completion_class(shell)
    if kind is None or instruction != "complete":
        return 1
    click.echo(_completion(kind, root).complete())
    return 0


def _completion(kind: type[ShellComplete], root: click.Command) -> ShellComplete:
    return kind(root, {}, PROGRAM, VARIABLE)


def _files(root: click.Command) -> Iterator[tuple[str, Path, str, str]]:
    """What each is, where it lies, what is in it, and what somebody must do besides."""
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
            # Not `source()`, which starts the shell to ask for its version.
            asked = _completion(kind, root)
            yield f"completion for {shell}", path, asked.source_template % asked.source_vars(), needs
    yield "the man page", data / "man" / "man1" / f"{PROGRAM}.1", man_page(root), "man sectax"


def _base(variable: str, otherwise: str) -> Path:
    given = os.environ.get(variable, "")
    return Path(given) if os.path.isabs(given) else Path.home() / otherwise


def man_page(root: click.Command) -> str:
    """The whole program as one page of section 1, in the macros of man(7)."""
    summary, _, about = (root.help or "").partition("\n\n")
    # When this version was installed: the page of one version is the same each time.
    changed = time.gmtime(Path(__file__).stat().st_mtime)
    parts = [
        f'.TH SECTAX 1 "{time.strftime("%Y-%m-%d", changed)}" "sectax {__version__}" "User Commands"',
        ".ad l",  # a long list of choices fills its line, and cannot be spread over it
        f".SH NAME\nsectax \\- {_roff(' '.join(summary.split()))}",
        ".SH SYNOPSIS\n.B sectax\n[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]",
        f".SH DESCRIPTION\n{_paragraphs(about)}",
        ".SH COMMANDS",
        *_pages(root, click.Context(root, info_name=PROGRAM)),
        ".SH FILES\n.TP\n.I sectax.toml\nDefaults for options, of this folder or the nearest one above it.",
        ".SH SEE ALSO\n.BR hyperfine (1)",
    ]
    return "\n".join(parts) + "\n"


def _pages(command: click.Command, context: click.Context) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from _page(below, click.Context(below, info_name=name, parent=context))


def _page(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS {_roff(context.command_path)} {_roff(usage)}\n{_paragraphs(command.help or '')}"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1] and "--help" not in parameter.opts:
            yield f".TP\n.B {_roff(record[0])}\n{_roff(record[1])}"
    yield from _pages(command, context)


def _paragraphs(text: str) -> str:
    return "\n.PP\n".join(_paragraph(word) for word in text.split("\n\n") if word.strip())


def _paragraph(text: str) -> str:
    """Filled lines; as they stand in a paragraph that click is asked to leave alone (`\\b`)."""
    first, *lines = text.strip("\n").split("\n")
    if first.strip() == "\b":
        return "\n".join([".nf", *map(_roff, lines), ".fi"])
    return _roff(" ".join(text.split()))


def _roff(text: str) -> str:
    """Text that roff shows as it is: no escapes, no request at the beginning of a line, dashes that can be copied."""
    # A long list of choices may be broken behind each: otherwise troff has lines that it cannot fill.
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("|", "|\\:")
    escaped = "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
