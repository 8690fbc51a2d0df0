"""`sectax run EXPERIMENT` with each one's options, and `sectax resume RUN`."""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sectax.cli import config, parse
from sectax.cli import options as shared
from sectax.cli.output import Form, Shown, print_result, refuse_existing, write_document
from sectax.cli.streams import Printed
from sectax.cluster.options import ClusterOptions, cluster_runner
from sectax.design.planning import BASELINE_OPTION
from sectax.experiments import registry
from sectax.experiments.interface import Experiment, HasCommandLines, HasSecrets, Hidden, RunRequest, TakesArguments
from sectax.experiments.planning import default_budget_s
from sectax.model.analysed import RunReport
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import ExitStatus, NothingMeasured, WrongUse
from sectax.model.plan import Stopping, Until
from sectax.run.conditions import concluded, was_measured, with_conditions
from sectax.run.plan import default_path
from sectax.text import spans

# What measures is imported by the commands that do: a dry run, an error and a completion need none of it.
if TYPE_CHECKING:
    from sectax.run.local import MakeRunner
    from sectax.run.progress import Progress
    from sectax.run.session import RunOutcome

_EXPORT = "--export-json"

# Keys of [run] in sectax.toml: the options of all experiments.
_SHARED = frozenset(
    {"level", "margin", "budget", "until", "precise", "blocks", "max-blocks", "seed", "fail-if"}
    | {"quiet", "verbose", "all", "ascii", "json"}
)


_ENDLESS = "a run keeps its number of blocks; one without a fixed number goes on for longer with --budget TIME"


# Receives an experiment and the values of its options.
Then = Callable[[Experiment, dict[str, Any]], None]


class _ExperimentsGroup(click.Group):
    def __init__(self, then: Then) -> None:
        super().__init__(
            "run",
            help="Measure how much more a control costs than its baseline.",
            subcommand_metavar="EXPERIMENT [OPTIONS]",
        )
        self._then = then

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(registry.names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        return _experiment_command(registry.load(cmd_name), self._then)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            experiment = registry.load(args[0])
        except WrongUse as error:
            raise WrongUse(error.message, f"{shared.with_level(args[0])}{error.hint}") from None
        command = _experiment_command(experiment, self._then)
        root = ctx.find_root()
        config.give_defaults(
            ctx,
            command,
            args[1:],
            "run",
            args[0],
            commands=lambda: root.command.list_commands(root) if isinstance(root.command, click.Group) else (),
            below=registry.names,
            shared=_SHARED,
            presets=experiment.presets,
        )
        rest = args[1:]
        return args[0], command, experiment.arguments(rest) if isinstance(experiment, HasCommandLines) else rest


def _experiment_command(experiment: Experiment, then: Then) -> click.Command:
    """The command of one experiment: the shared options, followed by its own."""

    def call(**values: Any) -> None:
        then(experiment, values)

    command = click.Command(experiment.name, callback=call, help=f"{experiment.title}\n\n{_levels(experiment)}")
    command.context_settings = {"obj": experiment.instead}
    command.params = [
        click.Option([f"--{preset}"], is_flag=True, help=shared.PRESETS.get(preset, f"The preset {preset}."))
        for preset in experiment.presets
        if preset != "default"
    ]
    command.params += [
        click.Option(
            ["--level"],
            multiple=True,
            metavar="FACTOR=A,B",
            help="Measure only these levels of a factor.",
            shell_complete=lambda ctx, parameter, typed: _levels_from(experiment, typed),
        ),
        *_baseline_option(experiment),
        click.Option(
            ["--margin"],
            metavar="PERCENT",
            default="2%",
            show_default=True,
            help="The smallest difference that matters to you.",
        ),
        click.Option(
            ["--budget"],
            metavar="TIME",
            help=f"The time limit, such as 60s or 1m30s.  [default: {_budgets(experiment)}]",
        ),
        click.Option(
            ["--until"],
            type=click.Choice([Until.DIRECTION.value, Until.VERDICT.value, Until.BUDGET.value]),
            help="When to stop: once it is known which one is slower (direction), once it is also known by how much, "
            "to within 12 % (verdict), or when the time is up (budget).  [default: verdict]",
        ),
        click.Option(["--precise"], is_flag=True, help="Continue after the verdict until the intervals are narrow."),
        click.Option(["--blocks"], type=int, metavar="N", help="Run exactly N blocks, and judge once, at the end."),
        click.Option(["--max-blocks"], type=int, metavar="N", help="Run at most N blocks.  [default: as many as fit]"),
        click.Option(["--seed"], type=int, metavar="N", help="The seed of another run, to measure in the same order."),
        click.Option(
            ["--out"],
            type=shared.FileName(),
            metavar="FILE",
            help="The run file to write.  [default: a name with the time]",
        ),
    ]
    shared.html(command)
    command.params += [
        click.Option(
            ["--picture"],
            type=shared.FileName(),
            metavar="FILE",
            help="Also write the answer as one picture, SVG or PNG.",
        ),
        click.Option(["--no-summary"], is_flag=True, help="Do not write to $GITHUB_STEP_SUMMARY."),
        click.Option(
            ["--dry-run"], is_flag=True, help="Only print what would be measured, how long it takes and what it costs."
        ),
        click.Option(["--prices"], type=shared.FileName(), metavar="FILE", help="With --dry-run: your own price list."),
    ]
    for option in experiment.options:
        # Every own option arrives as a tuple, however often it was given.
        command.params.append(
            click.Option(
                [*([f"-{option.short}"] if option.short else []), f"--{option.name}", _parameter_name(option.name)],
                is_flag=option.flag,
                multiple=not option.flag,
                metavar=None if option.flag else option.metavar,
                hidden=option.hidden,
                help=f"{option.help[0].upper()}{option.help[1:]}{' (may be repeated)' if option.multiple else ''}.",
            )
        )
    if isinstance(experiment, TakesArguments):
        command.params.append(click.Argument(["bare"], nargs=-1, metavar=f"[{experiment.word}]..."))
    if isinstance(experiment, HasCommandLines):
        command.params.append(
            click.Option(
                [_EXPORT], type=shared.FileName(), metavar="FILE", help="Also write all times as hyperfine 2 does."
            )
        )
    for decorate in (
        config.no_config,
        config.trust_config,
        shared.on,
        shared.quiet,
        shared.verbose,
        shared.everything,
        shared.in_ascii,
        shared.as_json,
        shared.fail_if,
    ):
        decorate(command)
    return command


def _baseline_option(experiment: Experiment) -> list[click.Option]:
    """The shared --baseline, unless the experiment has its own."""
    if BASELINE_OPTION in {option.name for option in experiment.options}:
        return []
    return [click.Option(["--baseline"], default="", metavar="LEVEL", help="The level to compare the others with.")]


def _levels(experiment: Experiment) -> str:
    """The factors and their levels, for `--help`."""
    lines = [f"  {factor.name}: {', '.join(factor.levels)}" for factor in experiment.factors]
    if any("…" in factor.levels for factor in experiment.factors):
        lines.append("  (… stands for others that you name)")
    return "\n".join(["\b\nFactors and their levels:", *lines])


def _budgets(experiment: Experiment) -> str:
    """The budget of each preset, as in '120s, 60s with --quick'."""
    budget_of = {preset: default_budget_s(experiment, preset) for preset in experiment.presets}
    usual = budget_of.pop("default")
    budgets = [f"{seconds:g}s with --{preset}" for preset, seconds in budget_of.items() if seconds != usual]
    return ", ".join([f"{usual:g}s", *budgets])


def _levels_from(experiment: Experiment, typed: str) -> list[str]:
    """Completions of `--level`: the name of a factor, then its levels."""
    name, chosen, levels = typed.partition("=")
    if not chosen:
        return [f"{factor.name}=" for factor in experiment.factors if factor.name.startswith(name)]
    before, comma, last = levels.rpartition(",")
    known = [level for factor in experiment.factors if factor.name == name for level in factor.levels]
    left = [level for level in known if level.startswith(last) and level not in before.split(",") and level != "…"]
    return [f"{name}={before}{comma}{level}" for level in left]


def _run(experiment: Experiment, values: dict[str, Any]) -> None:
    prints = any(option.prints and values[_parameter_name(option.name)] for option in experiment.options)
    watcher = shared.progress(values["quiet"], values["verbose"], live=not prints)
    request, hidden = _request(experiment, values)
    form = Form.taken_from(values)
    form.refuse_existing()
    on = shared.cluster_options(values)
    if values["prices"] and not values["dry_run"]:
        raise WrongUse("--prices is for --dry-run, which estimates the cost of a run", "add --dry-run, or leave it out")
    path = Path(values["out"]) if values["out"] else default_path(experiment.name)
    export = values.get("export_json")
    if export:
        refuse_existing(export, _EXPORT)
    if values["dry_run"]:
        from sectax.run.dry_run import dry_run

        if on:
            watcher.say(f"planned for this machine; {on.on} is not asked")
        would = dry_run(experiment.name, request, path, values["prices"] and Path(values["prices"]))
        click.echo(would.document if form.json_ else "\n".join([*would.lines, ""]), nl=False)
        return
    from sectax.run.start import start

    called = shlex.join(["sectax", *(parse.replaced(word, hidden.replaced) for word in sys.argv[1:])])
    outcome = start(experiment.name, request, path, watcher, called, make_runner=_make_runner(on, watcher))
    _finish(outcome, form, export, summarises=not values["no_summary"])


def _make_runner(on: ClusterOptions | None, progress: Progress) -> MakeRunner:
    from sectax.run.local import local_runner

    return local_runner if on is None else partial(cluster_runner, on, progress)


def _request(experiment: Experiment, values: dict[str, Any]) -> tuple[RunRequest, Hidden]:
    """The request of the options, and the options without secrets."""
    chosen = [preset for preset in experiment.presets if values.get(preset)]
    if len(chosen) > 1:
        raise WrongUse(f"{' and '.join(f'--{preset}' for preset in chosen)} are two presets", "leave one of them out")
    own = _own_options(experiment, values)
    if values.get("bare") and isinstance(experiment, TakesArguments):
        own = experiment.add_arguments(values["bare"], own)
    hidden = experiment.hidden(own) if isinstance(experiment, HasSecrets) else Hidden(own)
    request = RunRequest(
        preset=chosen[0] if chosen else "default",
        levels=parse.levels(values["level"]),
        stopping=_stopping(values),
        seed=secrets.randbelow(2**32) if values["seed"] is None else values["seed"],
        options=hidden.options,
        secrets=hidden.secrets,
        baseline=values.get("baseline") or "",
    )
    return request, hidden


def typed_request(words: Sequence[str]) -> tuple[str, RunRequest]:
    """Parse the words after `sectax run`: the experiment's name and its request.

    Raises:
        WrongUse: as `sectax run` does.
    """
    requests: list[tuple[str, RunRequest]] = []
    asking = _ExperimentsGroup(
        lambda experiment, values: requests.append((experiment.name, _request(experiment, values)[0]))
    )
    with asking.make_context("run", list(words), parent=click.get_current_context(silent=True)) as ctx:
        asking.invoke(ctx)
    return requests[0]


group = _ExperimentsGroup(_run)


@click.command("resume", context_settings={"obj": dict.fromkeys(("--blocks", "--max-blocks"), _ENDLESS)})
@shared.run_file
@click.option("--budget", metavar="TIME", help="The time limit from now on.  [default: that of the run]")
@shared.on
@shared.quiet
@shared.verbose
@shared.form(shared.everything, shared.in_ascii, shared.as_json)
def resume_command(run_file: str, budget: str | None, quiet: bool, verbose: bool, form: Form, **on: Any) -> None:
    """Continue a run that was interrupted; its finished blocks stay."""
    budget_s = None if budget is None else spans.seconds(budget, "--budget")
    from sectax.run.start import resume

    watcher = shared.progress(quiet, verbose)
    outcome = resume(Path(run_file), watcher, budget_s, _make_runner(shared.cluster_options(on), watcher))
    _finish(outcome, form)


def _stopping(values: dict[str, Any]) -> Stopping:
    rules = parse.stopping(
        values["margin"], values["budget"], values["blocks"], values["max_blocks"], values["until"], values["precise"]
    )
    until_was_given = values["precise"] or values["until"] is not None
    return with_conditions(rules, shared.conditions(values["fail_if"]), until_was_given=until_was_given)


def _finish(
    outcome: RunOutcome,
    form: Form,
    export: str | None = None,
    *,
    summarises: bool = True,
) -> None:
    """Print the results, write the export, and exit with the status of the run."""
    trouble = outcome.trouble
    if trouble is not None and outcome.was_refused:
        raise trouble
    if trouble is None and outcome.state == "finished" and not was_measured(outcome.analysed):
        trouble = NothingMeasured("no comparison could be measured", "see the reasons above")
    message = trouble.message if trouble is not None else ""
    path = str(outcome.path)
    answers = concluded(outcome.analysed, outcome.analysed.measured.plan.stopping.conditions)
    report = RunReport(outcome.analysed, path, message, answers)
    text = print_result(report, form, summarises=summarises)
    if outcome.state == "finished" and not message and not answers:
        # Most users run `sectax show` next.
        Shown(path, form).keep_report(text)
    if export:
        from sectax.cli.export import exported

        write_document(exported(outcome.path), export, _EXPORT)
    # Resuming would fail in the same way after a refused budget.
    if outcome.state == "interrupted" and not isinstance(trouble, NothingMeasured):
        elsewhere = set(outcome.analysed.measured.hosts) - {LOCAL_HOST}
        resume_command = f"sectax resume {shlex.quote(path)}{' --on ADDRESS' if elsewhere else ''}"
        click.echo(f"interrupted; go on with: {resume_command}", err=True)
    if trouble is not None:
        raise trouble from Printed()
    if outcome.state == "interrupted":
        raise click.exceptions.Exit(ExitStatus.INTERRUPTED)
    if answers:
        shared.exit_with_status(answers)


def _own_options(experiment: Experiment, values: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    own: dict[str, tuple[str, ...]] = {}
    for option in experiment.options:
        value = values[_parameter_name(option.name)]
        if option.flag:
            own[option.name] = ("yes",) if value else ()
        elif len(value) > 1 and not option.multiple:
            raise WrongUse(f"--{option.name} was given {len(value)} times", "give it once")
        else:
            own[option.name] = tuple(value)
    return {name: texts for name, texts in own.items() if texts}


def _parameter_name(name: str) -> str:
    """The parameter name of an experiment's own option, distinct from ours."""
    return "own_" + name.replace("-", "_")
