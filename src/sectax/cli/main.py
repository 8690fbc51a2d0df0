"""The program: run one command; turn errors into messages and statuses."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import resource
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from sectax import __version__
from sectax.cli.streams import Printed, forget_reader, make_usable
from sectax.model.errors import BadRecord, ExitStatus, RecordNotWritable, SectaxError, WrongUse

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Seconds; a destructor has ended by then.
_SOON_S = 0.05
# Name -> module and help; modules are imported only when called, so that `--help` starts fast. The commands of an
# experiment are found by its name; a row here avoids loading it.
_COMMANDS = {
    "list": ("sectax.cli.list:command", "List the experiments, their factors and levels, and the probes."),
    "doctor": ("sectax.cli.doctor:command", "Show what this machine can measure, and what disturbs measurements."),
    "setup": ("sectax.cli.setup:command", "Install what the experiments need."),
    "run": ("sectax.cli.run:group", "Measure how much more a control costs than its baseline."),
    "resume": ("sectax.cli.run:resume_command", "Continue a run that was interrupted."),
    "runs": ("sectax.cli.runs:command", "List the run files of a folder, with their answers."),
    "show": ("sectax.cli.show:command", "Print the results of a run."),
    "report": ("sectax.cli.report:command", "Write the results of a run as a page, Markdown, CSV or JSON."),
    "compare": ("sectax.cli.compare:command", "Compare a run with another run, or with a published study."),
    "trust": ("sectax.cli.trust:command", "Allow a sectax.toml to start programs."),
    "history": ("sectax.cli.history:command", "Show how a cost changed from run to run, by commit."),
    "gate": ("sectax.cli.gate:command", "Fail a build whose change costs more than a limit allows."),
    "advise": ("sectax.cli.advise:command", "Recommend what to do after a run; show where its time goes."),
    "audit": ("sectax.cli.audit:command", "Check a run, a study or a file of numbers for common mistakes."),
    "probe": ("sectax.cli.probe:group", "Create a probe, or check that one follows the protocol."),
    "hmac": ("sectax.experiments.hmac.commands:group", "Make a shared key and events, sign and verify them."),
    "lambda": ("sectax.cli.lambda_:group", "Start a local Lambda for unmodified AWS clients."),
    "help": ("sectax.cli.main:help_command", "Show the help of a command."),
}

# OpenBLAS reserves memory per thread; under a limit (ulimit -v) it retries for ever and Python handles no SIGTERM.
# These commands need one thread, and start no subject that would inherit the setting.
_ONE_THREAD = {"runs", "show", "report", "compare", "history", "advise", "audit"}
_LEAST_BYTES = 256 << 20  # of address space; with one thread, 200 MB was not always enough

# Errors of a full, broken or read-only file system.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}

# The signals received, since the code that is interrupted may turn the exception into another.
_interrupts: list[int] = []

_WELCOME = """\
sectax measures what a security control costs. Three commands to start with:

  sectax doctor                        what this machine can measure
  sectax run command --baseline 'gzip -1 -c FILE' --treatment best='gzip -9 -c FILE'
                                       how much more does B cost than A?
  sectax run jwt --quick               what does each signature algorithm cost?

sectax help lists all commands; sectax help run jwt explains one.
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return _brought_by_an_experiment(cmd_name)
        if cmd_name in _ONE_THREAD:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            if 0 <= resource.getrlimit(resource.RLIMIT_AS)[0] < _LEAST_BYTES:
                raise MemoryError
        module, attribute = _COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete from the table, without imports."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name, help=text) for name, (_, text) in _COMMANDS.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from sectax.experiments import registry
            from sectax.text.near import did_you_mean

            hint = did_you_mean(args[0], _COMMANDS, "sectax help lists the commands")
            if args[0] in registry.names():
                hint = f"{args[0]} is an experiment: sectax run {args[0]}"
            raise WrongUse(f"there is no command {args[0]!r}", hint)
        name, command, rest = super().resolve_command(ctx, args)
        if name not in (None, "help") and command is not None and not isinstance(command, click.Group):
            from sectax.cli import config

            if name == "gate":
                from sectax.cli.gate import use_config_of_baseline

                use_config_of_baseline(rest)
            config.give_defaults(ctx, command, rest, str(name), commands=lambda: _COMMANDS)
        return name, command, rest


def _brought_by_an_experiment(name: str) -> click.Command | None:
    """The commands of the experiment of this name; None if it has none."""
    from sectax.experiments import registry
    from sectax.experiments.interface import HasCommands

    if name not in registry.names():
        return None
    experiment = registry.load(name)
    return experiment.commands() if isinstance(experiment, HasCommands) else None


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="sectax %(version)s", help="Print the version.")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """What does a security control cost? Measured against its baseline, judged, and checked for mistakes.

    \b
    Exit status:
      0    done; the run was measured, even if nothing was decided
      1    a check failed: --fail-if, gate, audit --fail-on, probe check, hmac verify
      2    wrong use; the message says what to write instead
      3    nothing could be measured, or the run file could not be written
      4    a condition of --fail-if, or a limit of gate, is undecided
      70   a bug in sectax
      130  interrupted; what was measured is kept
    """
    if ctx.invoked_subcommand is None:
        click.echo(_WELCOME, nl=False)


@click.command("help")
@click.argument(
    "words",
    nargs=-1,
    metavar="[COMMAND]...",
    shell_complete=lambda ctx, parameter, typed: [name for name in _COMMANDS if name.startswith(typed)],
)
@click.pass_context
def help_command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command (by default, of all)."""
    from sectax.experiments import registry

    if words and words[0] not in _COMMANDS and words[0] in registry.names() and not _brought_by_an_experiment(words[0]):
        words = ("run", *words)
    context = ctx.find_root()
    for word in words:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no command {word!r}", context)
        named = group.get_command(context, word)
        if named is None:
            group.resolve_command(context, [word])  # raises, with the nearest name
            raise click.UsageError(f"{context.command_path} has no command {word!r}", context)
        context = click.Context(named, info_name=word, parent=context)
    click.echo(context.command.get_help(context))


def main() -> NoReturn:
    """Run the program and exit."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    sys.unraisablehook = interrupt_again
    make_usable(utf8=_wants_json())
    if "_SECTAX_COMPLETE" in os.environ:
        from sectax.cli import shell

        sys.exit(shell.complete(cli))
    try:
        status = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except click.ClickException as error:
        from sectax.cli.options import in_our_words

        _complain(*in_our_words(error))
        status = ExitStatus.WRONG_USE
    except SectaxError as error:
        one_line = isinstance(error, (WrongUse, BadRecord, RecordNotWritable))  # may contain file names as typed
        already_printed = isinstance(error.__cause__, Printed)
        _complain(error.message, error.hint, already_printed=already_printed, one_line=one_line)
        status = error.exit_status
    except (KeyboardInterrupt, click.Abort):
        status = ExitStatus.INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # click exits by itself only if the reader has closed the pipe.
        status = _reader_gone()
    except MemoryError:
        status = _out_of_memory()
    except Exception as error:
        if _interrupts:
            # An import that is interrupted may raise another error.
            _exit(ExitStatus.INTERRUPTED)
        if isinstance(error, OSError) and (error.filename or error.errno in _NO_ROOM):
            what = error.strerror or str(error)
            if error.filename:
                _complain(f"{what}: {os.fsdecode(error.filename)}", "check its permissions, or name another")
            else:
                _complain(f"the output cannot be written: {what}", "make room, or write elsewhere")
            _exit(ExitStatus.WRONG_USE)
        if isinstance(error, ImportError) and "failed to map segment" in str(error):
            _exit(_out_of_memory())
        if os.environ.get("SECTAX_DEBUG"):
            raise
        _complain(
            f"a bug in sectax: {type(error).__name__}: {error}",
            "what was recorded is kept; run it again with SECTAX_DEBUG=1 and report what it prints",
        )
        status = ExitStatus.FAULT
    _exit(status)


def _exit(status: int | None) -> NoReturn:
    """Exit with this status even if stdout or stderr is closed (Python would use 120)."""
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(ExitStatus.INTERRUPTED))
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            forget_reader(descriptor)
    sys.exit(int(status or 0))


def _out_of_memory() -> ExitStatus:
    _complain(
        "not enough memory to continue",
        "what was recorded is kept; raise the limit (ulimit -v, or that of the container), or stop other programs",
    )
    return ExitStatus.NOTHING_MEASURED


def _reader_gone() -> ExitStatus:
    """A closed pipe (`| head`) is not an error."""
    forget_reader()
    return ExitStatus.DONE


def _wants_json() -> bool:
    return "--json" in sys.argv[1:]


def _interrupt(number: int, frame: FrameType | None) -> None:
    _interrupts.append(number)
    raise KeyboardInterrupt


def interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Interrupt again if a destructor swallowed it, as Python lets happen."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    from threading import Timer

    Timer(_SOON_S, os.kill, (os.getpid(), signal.SIGINT)).start()


def _complain(message: str, hint: str, *, already_printed: bool = False, one_line: bool = True) -> None:
    """Print an error on stderr; with `--json` also as a document on stdout."""
    from sectax.text.printable import printable, printable_lines

    safe = printable if one_line else printable_lines
    with contextlib.suppress(OSError):  # the reader of stderr may be gone, and the status stays that of the error
        click.echo(f"sectax: {safe(message)}", err=True)
        if hint:
            click.echo(f"hint: {safe(hint)}", err=True)
    if _wants_json() and not already_printed:
        from sectax.cli.options import print_json

        with contextlib.suppress(OSError):  # stdout may be the cause of the error
            print_json({"schema": "sectax/error/1", "error": {"message": message, "hint": hint}})
