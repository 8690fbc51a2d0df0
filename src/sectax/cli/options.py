"""Options shared by several commands, and messages for wrong ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from sectax.cli.output import Form
from sectax.model.errors import WrongUse

if TYPE_CHECKING:
    from sectax.cli.progress import TerminalProgress
    from sectax.cluster.options import ClusterOptions
    from sectax.model.condition import Concluded, Condition

as_json = click.option("--json", "json_", is_flag=True, help="Print one JSON document instead of text.")
everything = click.option(
    "--all", "show_all", is_flag=True, help="Show everything: secondary comparisons, all warnings, how it was measured."
)


class FileName(click.Path):
    """A path; an empty one, usually an unset shell variable, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            raise click.MissingParameter(ctx=ctx, param=param)
        return super().convert(value, param, ctx)


def named_run(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """Callback of an argument naming a run file; `last` is the newest one here."""
    if value != "last":
        return value
    from sectax.run.files import named

    return named(value)


# Options that are fixed from the first block on.
OF_A_RUN = ("--level", "--margin", "--budget", "--until", "--precise", "--blocks", "--max-blocks", "--seed")
RUN = "RUN"  # the metavar of a run file
PRESETS = {
    "quick": "Take a first look: fewer levels, less time.",
    "published": "Measure what the published study measured, level for level.",
    "unlike": "Compare short operations with long ones whose ratio is known.",
}

run_file = click.argument("run_file", metavar=RUN, type=FileName(), callback=named_run)
html = click.option("--html", type=FileName(), metavar="FILE", help="Also write the result as an HTML page.")
in_ascii = click.option("--ascii", "ascii_only", is_flag=True, help="Print ASCII characters only.")
quiet = click.option("--quiet", is_flag=True, help="Print no progress.")
verbose = click.option("--verbose", is_flag=True, help="Print the results of the pilot, and a line after every block.")


def form(*options: Callable[[Any], Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add output options to a command, which receives them together as `form`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def call(**values: Any) -> None:
            command(form=Form.taken_from(values), **values)

        return functools.reduce(lambda decorated, option: option(decorated), reversed(options), call)

    return decorate


_ON = (
    click.option("--on", metavar="ADDRESS", help="Run on the hosts of a Dask cluster: dask://HOST:PORT, or local:4."),
    click.option("--hosts", type=click.IntRange(1), metavar="N", help="With --on: use N of its hosts."),
    click.option(
        "--where",
        multiple=True,
        metavar="NAME=VALUE",
        help="With --on: use hosts that match, such as machine=arm* (may be repeated).",
    ),
    click.option("--tls-ca", type=FileName(), metavar="FILE", help="With --on: the CA of all certificates."),
    click.option("--tls-cert", type=FileName(), metavar="FILE", help="With --on: the certificate to show."),
    click.option("--tls-key", type=FileName(), metavar="FILE", help="With --on: its private key."),
    click.option(
        "--insecure", is_flag=True, help="With --on: allow a network without TLS, where others can read the keys."
    ),
)


def on(command: Any) -> Any:
    """Add the options of a cluster; `cluster_options` reads them."""
    inside_out = _ON if isinstance(command, click.Command) else reversed(_ON)
    return functools.reduce(lambda decorated, option: option(decorated) or decorated, inside_out, command)


def cluster_options(values: Mapping[str, Any]) -> ClusterOptions | None:
    """The cluster to run on; None for this machine. Raises `WrongUse`."""
    from sectax.cluster.options import ClusterOptions

    on = ClusterOptions(**{name: values[name] for name in (field.name for field in fields(ClusterOptions))})
    if values["on"]:
        return on
    flags = [f"--{name.replace('_', '-')}" for name in (field.name for field in fields(ClusterOptions)) if values[name]]
    if flags:
        context = click.get_current_context(silent=True)
        usual = "give its scheduler too, as in --on dask://HOST:PORT"
        raise WrongUse(f"{flags[0]} is for a run on a cluster", _instead(context).get(flags[0], usual))
    return None


def _instead(context: click.Context | None) -> Mapping[str, str]:
    """Replacements for options that a command does not have."""
    return context.obj if context is not None and isinstance(context.obj, Mapping) else {}


fail_if = click.option(
    "--fail-if",
    "fail_if",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 1 if this holds, with 4 if undecided, as in 'slower>5%' or 'cpu:slower>5%' (may be repeated).",
)


def print_json(document: object) -> None:
    """Print a JSON document on one line."""
    import msgspec

    click.echo(msgspec.json.encode(document).decode())


def conditions(texts: Iterable[str]) -> tuple[Condition, ...]:
    """Parse the conditions of `--fail-if`. Raises `WrongUse`."""
    if not texts:
        return ()
    from sectax.cli.parse import condition

    return tuple(map(condition, texts))


def exit_with_status(answers: Sequence[Concluded]) -> None:
    """Exit with the status of answered conditions, if it is not 0."""
    from sectax.run.conditions import status

    if ended := status(answers):
        raise click.exceptions.Exit(ended)


def progress(quiet: bool, verbose: bool, *, live: bool = True) -> TerminalProgress:
    """The progress display of a run.

    Args:
        live: whether a line may be rewritten in place on a terminal.
    Raises:
        WrongUse: --quiet and --verbose were both given.
    """
    from sectax.cli.progress import Loudness, TerminalProgress  # `list` and `show` need none

    if quiet and verbose:
        raise WrongUse("--quiet and --verbose are opposites", "leave one of them out")
    loudness = Loudness.QUIET if quiet else Loudness.VERBOSE if verbose else Loudness.USUAL
    return TerminalProgress(loudness, live=live)


# Commands that take one target, and what to do with several.
_TWO_RUNS = ("run", "to compare two runs: sectax compare RUN RUN")
_ONE_AT_A_TIME = {
    "audit": ("target", "one after the other; the outputs of one tool together: cat FILE FILE | sectax audit -"),
    "show": _TWO_RUNS,
    "report": _TWO_RUNS,
    "advise": _TWO_RUNS,
}


def in_our_words(error: click.ClickException) -> tuple[str, str]:
    """A usage error of click in our words, with a hint what to write instead."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return error.format_message(), f"as in {error.option_name} …" if isinstance(error, click.BadOptionUsage) else ""
    path, explained = context.command_path, f"{context.command_path} --help"
    if isinstance(error, click.NoSuchOption):
        return f"{path} has no option {error.option_name}", _nearest_option(error.option_name, context, explained)
    if isinstance(error, click.MissingParameter) and error.param is not None and error.param.metavar == RUN:
        metavars = [
            str(parameter.metavar)
            for parameter in context.command.params
            if parameter.required and parameter is not error.param
        ]
        newest = " ".join([path, "last", *metavars])
        return "no run file was named", f"sectax runs lists them, and last is the newest: {newest}"
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
        option = error.param
        return f"{option.opts[-1]} names no file", f"as in {option.opts[-1]} {option.metavar}; is a variable not set?"
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and isinstance(context.command, click.Group):
        there_are = ", ".join(context.command.list_commands(context))
        return f"{path} alone does nothing", f"name one of these: {there_are}; {explained} says what they are"
    if error.message.startswith("Got unexpected extra argument") and context.info_name in _ONE_AT_A_TIME:
        return f"{path} takes one {_ONE_AT_A_TIME[context.info_name][0]}", _ONE_AT_A_TIME[context.info_name][1]
    if (
        error.message.startswith("Got unexpected extra argument")
        and context.parent is not None
        and context.parent.info_name == "run"
    ):
        words = error.message.partition("(")[2].rstrip(")")
        return f"unexpected words after {path}: {words}", _as_levels(words.split(), str(context.info_name)) or explained
    return error.format_message(), explained


def _levels() -> Iterator[tuple[str, str, str]]:
    """All levels, each with the names of its experiment and factor."""
    from sectax.cli.listing import offered

    for experiment in offered()["experiments"]:
        for factor in experiment["factors"]:
            for level in factor["levels"]:
                yield experiment["name"], factor["name"], level


def _as_levels(words: Sequence[str], experiment: str) -> str:
    """'as levels: --level algorithm=RS256'; empty if a word is not a level."""
    level_of = {level.lower(): (factor, level) for name, factor, level in _levels() if name == experiment}
    chosen: dict[str, list[str]] = {}
    for factor, level in (level_of.get(word.lower(), ("", "")) for word in words):
        chosen.setdefault(factor, []).append(level)
    options = (f"--level {factor}={','.join(levels)}" for factor, levels in chosen.items())
    return "" if "" in chosen else f"as levels: {' '.join(options)}"


def with_level(word: str) -> str:
    """'s3 has encryption=sse-kms; ' for part of a level; empty for others."""
    word = word.lower()
    fits = ((*where, level) for *where, level in _levels() if word in (level.lower(), *level.lower().split("-")))
    return next((f"{experiment} has {factor}={level}; " for experiment, factor, level in fits), "")


# Options of `run`, and the command that does the same with a run file.
_OF_REPORT = {
    "--picture": "a picture of a run file: sectax report RUN --out FILE.svg",
    "--html": "a page of a run file: sectax report RUN --out FILE.html",
}


def _nearest_option(name: str, context: click.Context, explained: str) -> str:
    from sectax.text.near import did_you_mean

    if name in _OF_REPORT:
        return _OF_REPORT[name]
    if name in _instead(context):
        return _instead(context)[name]
    if name.removeprefix("--") in PRESETS and isinstance(context.command, click.Group):
        return f"name the experiment first, as in {context.command_path} jwt {name}"
    if name.removeprefix("--") in PRESETS:
        return f"it has no such preset; --budget 30s makes it shorter. {explained} lists its options"
    factor = name.removeprefix("--")
    known_levels: dict[str, list[str]] = {}
    for experiment, named, level in _levels():
        if experiment == context.info_name and named.startswith(factor) and len(factor) > 2:
            known_levels.setdefault(named, []).append(level)
    for named, levels in known_levels.items():
        return f"{named} is a factor: --level {named}={','.join(levels[:2])}"
    if name in OF_A_RUN and any(parameter.metavar == RUN for parameter in context.command.params):
        return f"it was decided when the run began: sectax run EXPERIMENT {name} …; {explained} lists what is left"
    flags = [opt for option in context.command.get_params(context) for opt in option.opts if opt.startswith("--")]
    return did_you_mean(name, flags, f"{explained} lists its options")
