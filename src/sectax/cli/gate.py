"""`sectax gate`: fail a build whose change costs too much."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sectax.cli import config, parse
from sectax.cli import options as shared
from sectax.cli.output import append_step_summary, refuse_existing, say, write_document
from sectax.model.condition import Condition
from sectax.model.environment import SHORT
from sectax.model.errors import ExitStatus, WrongUse
from sectax.model.gate import Gate, GateOutcome, Limits, Revision
from sectax.run.git import ask_git, read_blob, repository_root, resolve_commit

if TYPE_CHECKING:
    from sectax.cli.progress import TerminalProgress
    from sectax.experiments.interface import RunRequest

_PASS, _FAIL = "pass", "fail"
_OF_RUN = ("--level", "--margin", "--budget", "--until", "--blocks", "--max-blocks", "--seed")
_FILE = "it is TOML of one line: limits = ['slower>5%']"
# Options of `sectax run` that do not apply to a gate -> what to use instead.
_NOT_HERE = {
    "--fail-if": "give its condition to --limit, in front of --",
    "--dry-run": "leave it out; sectax run has it",
    **dict.fromkeys(("--html", "--picture"), "leave it out: sectax report makes it from the run file"),
    "--no-summary": "leave it out",
}


@click.command(
    "gate",
    context_settings={"obj": {name: f"put it behind --, as in -- run command './bench' {name} …" for name in _OF_RUN}},
)
@click.argument("words", nargs=-1, metavar="[RUN | -- run EXPERIMENT OPTIONS]")
@click.option("--baseline-rev", metavar="REV", help="The revision to compare with, such as main.")
@click.option("--treatment-rev", metavar="REV", help="The revision under test.  [default: HEAD]")
@click.option("--build", metavar="CMD", help="A command that builds a checkout, run in its folder by /bin/sh.")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="CONDITION",
    help="A limit, such as 'slower>5%', 'memory > +10%', 'p99 > 12ms' or 'bytes > 0' (may be repeated).",
)
@click.option(
    "--limits", "file", type=shared.FileName(path_type=Path), metavar="FILE", help="TOML with limits = ['…']."
)
@click.option(
    "--on-unknown",
    type=click.Choice([_PASS, _FAIL]),
    default=_FAIL,
    show_default=True,
    help="Whether an undecided gate fails (status 4) or passes (0).",
)
@click.option(
    "--out", type=shared.FileName(), metavar="FILE", help="The run file; a second session adds -2 to its name."
)
@click.option("--junit", type=shared.FileName(), metavar="FILE", help="Also write the outcome as JUnit XML.")
@click.option("--self-test", is_flag=True, help="Add twice the limit to the baseline itself: the gate must find it.")
@config.no_config
@config.trust_config
@shared.quiet
@shared.verbose
@shared.as_json
def command(
    words: tuple[str, ...],
    baseline_rev: str | None,
    treatment_rev: str | None,
    build: str | None,
    limits: tuple[str, ...],
    file: Path | None,
    on_unknown: str,
    out: str | None,
    junit: str | None,
    self_test: bool,
    quiet: bool,
    verbose: bool,
    json_: bool,
) -> None:
    """Fail a build whose change costs more than a limit allows.

    \b
    sectax gate --baseline-rev main --limit 'slower>5%' -- run command './bench'
    sectax gate RUN --limit 'slower>5%'

    Two revisions are checked out, built, and measured by turns in one session. If a limit is exceeded, both are
    built and measured again: a build fails only if two sessions agree. After --, {baseline} and {treatment} stand
    for the folders of both; a command without them runs in each.

    Exit status: 0 passed, 1 exceeded, 4 undecided, 3 nothing was measured.
    """
    from sectax.gate.gate import STATUSES

    _refuse_misplaced(words)
    conditions = _limits(limits, file, baseline_rev if words[:1] == ("run",) else None)
    if junit is not None:
        refuse_existing(junit, "--junit")
    if words[:1] == ("run",):
        sides = (baseline_rev, treatment_rev or "HEAD")
        progress = shared.progress(quiet, verbose)
        result = _of_revisions(words[1:], sides, build, conditions, out, progress, plant=self_test, quiet=quiet)
    else:
        _refuse_for_run(words, baseline_rev, treatment_rev, build, out, self_test)
        result = _of_run(words, conditions)
    _print(result, json_=json_)
    if junit is not None:
        from sectax.reports.gate import junit as as_junit

        write_document(as_junit(result, may_pass=on_unknown == _PASS), junit, "--junit")
    if self_test:
        text, status = _SELF_TEST[result.outcome]
        click.echo(f"self-test {text}", err=True)
        raise click.exceptions.Exit(status)
    if result.outcome is GateOutcome.UNKNOWN and on_unknown == _PASS:
        return
    raise click.exceptions.Exit(STATUSES[result.outcome])


_SELF_TEST = {
    GateOutcome.EXCEEDED: ("passed: the planted cost was found", ExitStatus.DONE),
    GateOutcome.PASSED: ("failed: the planted cost was not found", ExitStatus.GATE_MISSED),
    GateOutcome.UNKNOWN: ("undecided: use a longer --budget or a quieter machine", ExitStatus.INCONCLUSIVE),
    GateOutcome.NOTHING: ("failed: nothing was measured", ExitStatus.NOTHING_MEASURED),
}


def _refuse_misplaced(words: Sequence[str]) -> None:
    """Refuse the gate's options after `--`, and options of `run` not for a gate."""
    own = {name for option in command.params for name in option.opts if name.startswith("--")} - {
        "--quiet",
        "--verbose",
    }
    for name in (word.partition("=")[0] for word in itertools.takewhile(lambda word: word != "--", words)):
        if name in own:
            raise WrongUse(f"{name} is an option of gate, but follows --", "put it before --")
        if name in _NOT_HERE:
            raise WrongUse(f"{name} does not apply to a gate", _NOT_HERE[name])


def use_config_of_baseline(args: Sequence[str]) -> None:
    """Read sectax.toml from the baseline revision, not from the change under test.

    Args:
        args: the words after `gate`.
    Raises:
        WrongUse: the baseline itself comes from a file that the change may have written.
    """
    own = list(itertools.takewhile(lambda word: word != "--", args))
    if config.NO_CONFIG in own:
        config.choose(None)  # for the words after -- too
    if config.NO_CONFIG in own or args[len(own) + 1 : len(own) + 2] != ["run"]:
        return
    present = config.find()
    named = present.sections().get("gate", {}).get("baseline-rev") if present is not None else None
    revision = _typed_value(own, "--baseline-rev") or named
    root, commit = _baseline_commit(revision)
    if root is None or commit is None or (present is not None and not _is_tracked(present.path, root)):
        return  # nothing of it can come from the change
    folder = Path.cwd()
    paths = [place / config.NAME for place in (folder, *folder.parents) if place.is_relative_to(root)]
    texts = ((path, read_blob(commit, path.relative_to(root).as_posix())) for path in paths)
    baseline = next((config.ConfigFile(path, text) for path, text in texts if text is not None), None)
    if baseline != present:
        if _typed_value(own, "--baseline-rev") is None:
            raise WrongUse(
                f"baseline-rev is set in a {config.NAME} that differs between the revisions",
                "write --baseline-rev REV on the command line",
            )
        click.echo(f"{config.NAME} of {revision} is used: the change has another one", err=True)
    config.choose(baseline)


def _typed_value(words: Sequence[str], option: str) -> str | None:
    """The value of an option among words that are not parsed yet."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


def _baseline_commit(revision: object) -> tuple[Path | None, str | None]:
    """The repository's root and a revision's commit; None for what does not exist."""
    return repository_root(), (resolve_commit(revision) if isinstance(revision, str) else None)


def _is_tracked(path: Path, root: Path) -> bool:
    """Whether a file is in the repository; others are the user's own."""
    return path.is_relative_to(root) and bool(ask_git("ls-files", "--", str(path), cwd=root))


def _read_limits(file: Path, baseline_rev: str | None) -> dict[str, Any]:
    """Read limits, at the baseline revision if tracked; `WrongUse` if invalid."""
    root, commit = _baseline_commit(baseline_rev)
    path = file.resolve()
    if root is None or commit is None or not path.is_relative_to(root):
        return config.read(file, _FILE)
    relative = path.relative_to(root).as_posix()
    text = read_blob(commit, relative)
    if text is not None:
        return config.ConfigFile(file, text).sections(_FILE)
    if _is_tracked(path, root):
        raise WrongUse(
            f"{file} is not in {baseline_rev}: a change must not bring its own limits",
            "merge the file first, or use --limit",
        )
    return config.read(file, _FILE)


def _limits(given: Sequence[str], file: Path | None, baseline_rev: str | None) -> tuple[Condition, ...]:
    """The limits of --limit and of a file. Raises `WrongUse` if there are none."""
    texts = [(text, "--limit") for text in given]
    if file is not None:
        import msgspec

        try:
            written = msgspec.convert(_read_limits(file, baseline_rev), Limits)
        except msgspec.ValidationError as error:
            raise WrongUse(f"{file} has no list of limits: {error}", _FILE) from error
        texts += [(text, f"limit in {file}:") for text in written.limits]
    if not texts:
        raise WrongUse("no limit was given", "use --limit 'slower>5%', or --limits FILE")
    return tuple(parse.condition(text, option) for text, option in texts)


def _refuse_for_run(words: Sequence[str], *options: object) -> None:
    if any(options):
        raise WrongUse(
            f"after --, begin with run, not with {words[0]!r}" if words else "there is nothing to measure",
            "as in: sectax gate --baseline-rev main … -- run command './bench'; a run file takes none of these options",
        )


def _of_run(words: tuple[str, ...], limits: tuple[Condition, ...]) -> Gate:
    from sectax.gate.gate import judge_run
    from sectax.run.analyse import analyse_file
    from sectax.run.files import named

    if len(words) != 1:
        hint = "sectax gate RUN …, or sectax gate … -- run command './bench'"
        raise WrongUse("name one run file, or what to measure", hint)
    path = named(words[0])
    return judge_run(analyse_file(Path(path)), path, limits)


def _of_revisions(
    words: tuple[str, ...],
    sides: tuple[str | None, str],
    build: str | None,
    limits: tuple[Condition, ...],
    out: str | None,
    progress: TerminalProgress,
    *,
    plant: bool,
    quiet: bool,
) -> Gate:
    from sectax.cli.run import typed_request
    from sectax.gate.checkouts import Repository
    from sectax.gate.gate import Revisions, judge_revisions, largest_planted_share, measures_folders, request_in_folders
    from sectax.run.conditions import count_names, with_conditions
    from sectax.run.plan import default_path

    if sides[0] is None:
        raise WrongUse("no baseline revision was given", "add --baseline-rev main")
    repository = Repository.here()
    baseline, treatment = (Revision(name, repository.commit(name)) for name in (sides[0], sides[1]))
    if plant:
        treatment = Revision("planted", baseline.commit)
    elif baseline.commit == treatment.commit:
        raise WrongUse(
            f"{baseline.name} and {treatment.name} are the same commit, {baseline.commit[:SHORT]}",
            "commit the change first, or name another --baseline-rev; --self-test compares a revision with itself",
        )
    elif treatment.commit == repository.commit("HEAD") and repository.is_changed:
        progress.say("uncommitted changes are not part of HEAD, and are not measured")
    if not words or (len(words) == 1 and measures_folders(words[0])):
        raise WrongUse("no command to measure was given", "as in: -- run command './bench'")
    planted = 2 * largest_planted_share(words[0], limits) if plant else 0.0
    first = Path(out) if out else default_path("gate")
    files = (first, first.with_stem(f"{first.stem}-2"))
    for file in files:
        refuse_existing(str(file), "--out")

    def request(old: Path, new: Path, *more: str) -> RunRequest:
        folders = {"{baseline}": str(old), "{treatment}": str(new)}
        name, base_request = typed_request([words[0], *more, *(parse.replaced(word, folders) for word in words[1:])])
        both = request_in_folders(name, base_request, {baseline.name: str(old), treatment.name: str(new)}, planted)
        if both is base_request:
            _refuse_fixed(words, ("baseline", "treatment"), name)
        counted = count_names(name, both.options)
        shares = [limit.limit for limit in limits if limit.is_share and limit.metric not in counted]
        # The margin must not be larger than a limit on an effect.
        rules = replace(both.stopping, margin=min([both.stopping.margin, *shares]))
        return replace(both, stopping=with_conditions(rules, limits, until_was_given=False))

    # Check the request before anything is built, and report options from sectax.toml once.
    request(repository.root, repository.root, *(["--quiet"] if quiet else []))
    revisions = Revisions(
        repository, baseline, treatment, build, words[0], lambda old, new: request(old, new, "--quiet")
    )
    return judge_revisions(revisions, limits, files, progress)


def _refuse_fixed(words: Sequence[str], folders: Iterable[str], experiment: str) -> None:
    """Refuse a command that does not depend on the revisions."""
    from sectax.gate.gate import measures_folders

    missing = [side for side in folders if not any(f"{{{side}}}" in word for word in words)]
    if missing and not measures_folders(experiment):
        raise WrongUse(
            f"{experiment} would measure the same twice: it does not use your revisions",
            "measure one of your programs: -- run command './bench'; or name files in {baseline} and {treatment}",
        )
    if missing:
        what = "the revision" if len(missing) > 1 else f"the {missing[0]}'s revision"
        raise WrongUse(
            f"nothing here depends on {what}: give one command, or {{baseline}} and {{treatment}}",
            "one command runs in each checkout; the two names stand for the folders of both",
        )


def _print(result: Gate, *, json_: bool) -> None:
    """Print the outcome, write the summary of a CI step, and annotate the change."""
    from sectax.reports import gate

    if json_:
        shared.print_json(result)
    else:
        for text in gate.lines(result):
            say(text)
    append_step_summary(gate.markdown(result))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        # GitHub reads them from either stream; stdout may be a document.
        for line in gate.github_annotations(result):
            click.echo(line, err=True)
