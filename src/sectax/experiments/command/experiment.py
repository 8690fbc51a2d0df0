"""The experiment: one factor, the command; whole executions in fresh processes."""

from __future__ import annotations

import os
from collections.abc import Mapping

from sectax.design.matrix import Rules, build
from sectax.experiments.command.commands import BASELINE, FOLDER, SHELL, Commands, files_of, read_commands
from sectax.experiments.interface import Option, Request
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


class CommandExperiment:
    """Whole commands, each execution a fresh process: wall time, CPU time and peak memory."""

    name = "command"
    title = "How much more does one command cost than the other?"
    presets: tuple[str, ...] = ("default",)
    factors: tuple[Factor, ...] = (Factor("command", (BASELINE, "…")),)
    options: tuple[Option, ...] = (
        Option("baseline", "the command that the others are compared with", "CMD"),
        Option("treatment", "a command and its name", "NAME=CMD", multiple=True),
        Option("prepare", "runs untimed before every execution", "[NAME=]CMD", multiple=True),
        Option("setup", "runs once before the first block", "CMD", multiple=True),
        Option("cleanup", "runs once after the last block, whatever ended it", "CMD", multiple=True),
        Option("shell", "run the commands through /bin/sh; its start is measured and shown, not subtracted", flag=True),
        Option("ignore-failure", "accept exit statuses other than 0", flag=True),
        Option("timeout", "the longest that one execution may take (default 300)", "SECONDS"),
    )

    def plan(self, request: Request) -> Plan:
        options = dict(request.options) | {FOLDER: (os.getcwd(),)}
        commands = read_commands(options)
        known = (Factor("command", tuple(commands.argv)),)
        factors = choose(known, {}, request.levels)
        metrics = (WALL, CPU, PEAK_MEMORY)
        rules = Rules(family=lambda levels: _FAMILY, extra_operations=False)
        matrix = build(
            factors, "command", BASELINE, metrics, request.stopping, rules, simultaneous=request.simultaneous
        )
        return Plan(
            experiment=self.name,
            preset=request.preset,
            question=self.title,
            transfers="The cost is that of these programs on this machine, with these inputs and this file cache.",
            control="command",
            factors=factors,
            metrics=metrics,
            cells=matrix.cells,
            treatments=matrix.treatments,
            comparisons=matrix.comparisons,
            skipped=matrix.skipped,
            stopping=request.stopping,
            seed=request.seed,
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

    def inputs(self, plan: Plan) -> dict[str, str]:
        return {}

    def specs(self, plan: Plan, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        commands = read_commands(plan.options)
        return {
            treatment.id: _spec(treatment, commands, _injected_s(treatment, plan, calibrated))
            for treatment in plan.treatments
        }

    def empties(self, plan: Plan) -> dict[str, SubjectSpec]:
        """With --shell, the start of the shell is part of every command, and told beside the figures."""
        commands = read_commands(plan.options)
        if not plan.options.get("shell"):
            return {}
        return {_FAMILY: CommandSpec("shell", (*SHELL, ""), cwd=commands.folder, deadline_s=commands.deadline_s)}

    def identity(self, plan: Plan) -> dict[str, str]:
        commands = read_commands(plan.options)
        return {f"command.{name}": files_of(argv, commands.folder) for name, argv in commands.argv.items()}

    def set_up(self, plan: Plan) -> None:
        commands = read_commands(plan.options)
        for argv in commands.set_up:
            run_hook(argv, commands.deadline_s, cwd=commands.folder)

    def clean_up(self, plan: Plan) -> None:
        commands = read_commands(plan.options)
        for argv in commands.clean_up:
            run_hook(argv, commands.deadline_s, cwd=commands.folder)

    def requirements(self) -> tuple[str, ...]:
        return ()


def _spec(treatment: Treatment, commands: Commands, injected_s: float) -> CommandSpec:
    name = treatment.levels["command"]
    return CommandSpec(
        name=name,
        argv=commands.argv[name],
        cwd=commands.folder,
        prepare=commands.prepare.get(name),
        deadline_s=commands.deadline_s,
        ignore_failure=commands.ignore_failure,
        injected_s=injected_s,
    )


def _injected_s(treatment: Treatment, plan: Plan, calibrated: Calibrated | None) -> float:
    """The positive control's known cost: twice the margin of what the pilot saw of the baseline."""
    if treatment.role is not Role.POSITIVE or calibrated is None:
        return 0.0
    baseline = calibrated.calibrations.get(plan.cell(treatment.cell).baseline)
    if baseline is None:
        return 0.0
    return 2 * plan.stopping.margin * (baseline.typical_s or baseline.operation_s)
