"""Start a new run, or resume one that was interrupted."""

from __future__ import annotations

import secrets
from pathlib import Path

from sectax.experiments import registry
from sectax.experiments.interface import RunRequest
from sectax.model.errors import WrongUse
from sectax.record.appender import check_new, check_unlocked
from sectax.record.errors import damaged
from sectax.record.reader import RunReader
from sectax.run import private_inputs
from sectax.run.analyse import analyse_measured
from sectax.run.local import MakeRunner, local_runner
from sectax.run.plan import planned_bench
from sectax.run.progress import Progress
from sectax.run.session import RunOutcome
from sectax.run.writer import SessionWriter


def start(
    name: str,
    request: RunRequest,
    path: Path,
    progress: Progress,
    command_line: str = "",
    *,
    commit: str | None = None,
    make_runner: MakeRunner = local_runner,
) -> RunOutcome:
    """Plan and run an experiment, recording into a new file.

    Args:
        command_line: the user's command, recorded so that the run can be repeated.
        commit: the commit under test, if it is a checkout; None for that of the current folder.
        make_runner: chooses where to measure; this machine by default.
    """
    check_new(path)
    experiment = registry.load(name)
    runner = make_runner(experiment, request.options)
    with runner:
        with progress.waiting("getting ready"):
            machine = runner.machine(experiment, request, progress.say)
            bench = planned_bench(experiment, request, machine)
            plan = bench.plan
            private_inputs.sweep()
            inputs = bench.inputs() | dict(request.secrets)
            run_id = secrets.token_hex(8)
            private_inputs.keep(run_id, inputs)
            try:
                environment = runner.environment(bench, command_line, commit)
                writer = SessionWriter.create(path, plan, environment, run_id=run_id)
            except BaseException:
                private_inputs.forget(run_id)
                raise
        outcome = runner.session(bench, inputs, writer, progress, runner).run()
        if outcome.was_refused:
            # It would be refused again, and the file would be in the way of a better budget.
            outcome.path.unlink(missing_ok=True)
            private_inputs.forget(run_id)
        return outcome


def resume(
    path: Path, progress: Progress, budget_s: float | None = None, make_runner: MakeRunner = local_runner
) -> RunOutcome:
    """Continue an interrupted run; the interrupted block is run again.

    Args:
        budget_s: seconds for this session; None for the budget that the run began with.
        make_runner: chooses where to measure, which must fit the earlier sessions; this machine by default.
    Raises:
        WrongUse: a budget for a run that is finished or has a fixed number of blocks.
        RecordNotWritable: another sectax is measuring into the file.
    """
    check_unlocked(path)
    with RunReader.open(path) as reader:
        plan, measured = reader.plan(), reader.measured()
    if budget_s is not None and measured.state == "finished":
        reason = "its error level is already spent over a number of looks fixed at the first one"
        raise WrongUse(f"{path} is finished: {reason}", "start another run with a longer --budget")
    if budget_s is not None and plan.stopping.fixed_blocks is not None:
        raise WrongUse(f"the run has {plan.stopping.fixed_blocks} blocks, however long they take", "leave out --budget")
    if measured.state == "finished":
        progress.say("this run is finished; there is nothing to continue")
        return RunOutcome(path, "finished", analyse_measured(measured))
    experiment = registry.load(plan.experiment)
    runner = make_runner(experiment, plan.options)
    with runner:
        try:
            bench = experiment.bench(plan)
            environment = runner.environment(bench)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise damaged(path, f"its plan is not one of {plan.experiment}") from error
        runner.refuse_other(measured, environment)
        writer = SessionWriter.reopen(path, environment)
        inputs = private_inputs.recall(writer.run_id)
        if inputs is None:
            inputs = bench.inputs()
            private_inputs.keep(writer.run_id, inputs)
            if inputs:
                writer.note("the keys of the earlier session are gone: this session made new ones")
        return runner.session(bench, inputs, writer, progress, runner, budget_s).run()
