"""The experiment: one factor, the command; whole executions in fresh processes."""

from __future__ import annotations

import os
from collections.abc import Mapping

from sectax.experiments.command.commands import BASELINE, FOLDER, SHELL, files_of, read_commands
from sectax.experiments.interface import Bench, Design, Experiment, Option, Request, Rules
from sectax.experiments.levels import choose
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor, Role, Treatment
from sectax.subjects.command import CommandSpec, run_hook

WALL = Metric("wall", "s", Better.LOWER, Summary.MEAN, observed="wall")
CPU = Metric("cpu", "s", Better.LOWER, Summary.MEAN, observed="cpu", cpu=True)
# The kernel counts resident pages per processor, so the peak of one and the same program varies by some hundred KiB.
PEAK_MEMORY = Metric("peak_memory", "B", Better.LOWER, Summary.MEDIAN, observed="peak_memory", resolution=256 * 1024)

# An execution is a fresh process by itself, so a block needs few rounds.
_ROUNDS = (2, 64)
_FAMILY = "commands"


class CommandExperiment(Experiment):
    """Whole commands, each execution a fresh process: wall time, CPU time and peak memory."""

    name = "command"
    title = "How much more does one command cost than the other?"
    factors = (Factor("command", (BASELINE, "…")),)
    options = (
        Option("baseline", "the command that the others are compared with", "CMD"),
        Option("treatment", "a command and its name", "NAME=CMD", multiple=True),
        Option("prepare", "runs untimed before every execution", "[NAME=]CMD", multiple=True),
        Option("setup", "runs once before the first block", "CMD", multiple=True),
        Option("cleanup", "runs once after the last block, whatever ended it", "CMD", multiple=True),
        Option("shell", "run the commands through /bin/sh; its start is measured and shown, not subtracted", flag=True),
        Option("ignore-failure", "accept exit statuses other than 0", flag=True),
        Option("timeout", "the longest that one execution may take (default 300)", "SECONDS"),
    )

    def design(self, request: Request) -> Design:
        options = dict(request.options) | {FOLDER: (os.getcwd(),)}
        known = (Factor("command", tuple(read_commands(options).argv)),)
        return Design(
            factors=choose(known, {}, request.levels),
            control="command",
            baseline=BASELINE,
            metrics=(WALL, CPU, PEAK_MEMORY),
            rules=Rules(family=lambda levels: _FAMILY, extra_operations=False),
            transfers="The cost is that of these programs on this machine, with these inputs and this file cache.",
            batch_s=0.005,
            rounds_range=_ROUNDS,
            # Every execution is a fresh process, whatever ran before: there is nothing to warm up or to settle.
            warms_up=False,
            settles=False,
            equal_counts=True,
            options=options,
            answered_by=(
                "the answer is wall time: a command may wait or do I/O, which CPU time leaves out; "
                "CPU time stands beside it"
            ),
            beside=(CPU.name,),
            words={"metric=wall": "wall time", "metric=cpu": "CPU time", "empty loop": "starting the shell takes"},
            # Another launcher has another cost of its own; another exit status is other work.
            equal_witnesses=("launcher", "exit_statuses"),
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)


class _Bench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._commands = read_commands(plan.options)

    def identity(self) -> dict[str, str]:
        commands = self._commands
        return {f"command.{name}": files_of(argv, commands.folder) for name, argv in commands.argv.items()}

    def start(self, inputs: Mapping[str, str]) -> None:
        """Run what --setup names; what --cleanup names runs at the end, also where something before it failed."""
        self.callback(self._run, self._commands.clean_up)
        self._run(self._commands.set_up)

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> CommandSpec:
        name, commands = treatment.levels["command"], self._commands
        return CommandSpec(
            name=name,
            argv=commands.argv[name],
            cwd=commands.folder,
            prepare=commands.prepare.get(name),
            deadline_s=commands.deadline_s,
            ignore_failure=commands.ignore_failure,
            injected_s=_injected_s(treatment, self.plan, calibrated),
        )

    def empties(self) -> dict[str, SubjectSpec]:
        """With --shell, the start of the shell is part of every command, and told beside the figures."""
        if not self.plan.options.get("shell"):
            return {}
        commands = self._commands
        return {_FAMILY: CommandSpec("shell", (*SHELL, ""), cwd=commands.folder, deadline_s=commands.deadline_s)}

    def _run(self, hooks: tuple[tuple[str, ...], ...]) -> None:
        for argv in hooks:
            run_hook(argv, self._commands.deadline_s, cwd=self._commands.folder)


def _injected_s(treatment: Treatment, plan: Plan, calibrated: Calibrated | None) -> float:
    """The positive control's known cost: twice the margin of what the pilot saw of the baseline."""
    if treatment.role is not Role.POSITIVE or calibrated is None:
        return 0.0
    baseline = calibrated.calibrations.get(plan.cell(treatment.cell).baseline)
    if baseline is None:
        return 0.0
    return 2 * plan.stopping.margin * (baseline.typical_s or baseline.operation_s)
