"""Whole executions of commands, in fresh processes."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sectax.experiments.command import hyperfine
from sectax.experiments.command.commands import (
    CONTROL,
    SHELL,
    Commands,
    check_files,
    command_files,
    read_cells,
    read_commands,
    read_hosts,
    runs,
    scans,
)
from sectax.experiments.command.counting import COUNTERS, Counter, count_execution, counters, working_counter
from sectax.experiments.command.requests import INHERIT, NULL
from sectax.experiments.interface import (
    Bench,
    CommandLine,
    Design,
    Experiment,
    Machine,
    Option,
    Rules,
    RunRequest,
    Wanted,
)
from sectax.experiments.levels import choose, make_name
from sectax.experiments.named import BASELINE, FOLDER
from sectax.experiments.on_host.places import HOST, declares, scope, sees_this_machine
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.bill import one_way, processor_hours
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import WrongUse
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import FIRST_LOOK, LONG_S, Calibrated, Plan, Stopping
from sectax.model.subject import SubjectSpec, Witnesses
from sectax.model.treatment import Factor, Role, Treatment

WALL = Metric("wall", "s", Better.LOWER, Summary.MEAN, observed="wall")
CPU = Metric("cpu", "s", Better.LOWER, Summary.MEAN, observed="cpu", cpu=True)
# The kernel counts resident pages per processor, so the peak of a program varies by some hundred KiB.
PEAK_MEMORY = Metric("peak_memory", "B", Better.LOWER, Summary.MEDIAN, observed="peak_memory", resolution=256 * 1024)

# Every execution is a fresh process, so a block needs few rounds.
_ROUNDS = (1, 64)
# Number of blocks that the executions of --runs are spread over.
_BLOCKS_OF_RUNS = 10
_BATCH_S = 0.005
_FAMILY = "commands"
_TRANSFERS = "It applies to these programs on this machine, with these inputs and this file cache."


class CommandExperiment(Experiment):
    """Wall time, CPU time and peak memory of whole commands."""

    name = "command"
    title = "How much more does one command cost than another?"
    factors = (Factor(CONTROL, (BASELINE, "…")),)
    word = "CMD"
    instead = hyperfine.INSTEAD
    arguments = staticmethod(hyperfine.arguments)
    add_arguments = staticmethod(hyperfine.with_commands)
    planted_metrics = (WALL.name, CPU.name)
    countable: ClassVar[Mapping[str, str]] = {
        counter.figure: f"--count {counter.figure}" for counter in COUNTERS.values()
    }
    options = (
        Option("baseline", "the command that the others are compared with", "CMD"),
        Option("treatment", "another command and its name", "NAME=CMD", multiple=True),
        Option(
            HOST,
            "run the commands on several hosts, and compare the hosts; the first is the baseline. WHERE is local, "
            "ssh://user@host[:port] or oci:RUNTIME",
            "NAME=WHERE",
            multiple=True,
        ),
        Option("name", "the name of a command, in the order of the commands", "NAME", True, short="n"),
        Option("values", "the values in a command, for exports", "NAME=A", True, hidden=True),
        Option("in", "the working directory of a command, such as another checkout", "[NAME=]DIR", multiple=True),
        Option("added", "add a known cost to a command, to check that it is detected", "NAME=PERCENT", multiple=True),
        Option(
            "prepare", "runs untimed before every execution (of all commands, or of one)", "[NAME=]CMD", True, short="p"
        ),
        Option(
            "conclude", "runs untimed after every execution (of all commands, or of one)", "[NAME=]CMD", True, short="C"
        ),
        Option(
            "env", "variables to set, for all commands or (given once per command) for each", "'NAME=VALUE …'", True
        ),
        Option("setup", "runs once before the first block; it may build the commands", "CMD", True, short="s"),
        Option("cleanup", "runs once after the last block, even after a failure", "CMD", multiple=True, short="c"),
        Option("scan", "replace {NAME} by each of these values, as in size=1,6,9", "NAME=A,B", True, short="L"),
        Option("warmup", "uncounted executions of every command at the start", "N", short="w"),
        Option(
            "runs", "execute each command N times (sometimes slightly more), plus pilot and controls", "N", short="r"
        ),
        Option("input", "the file that the commands read on stdin", "FILE"),
        Option(
            "count",
            "also count, untimed: system_calls (strace), allocations (valgrind), instructions (perf, or where it does "
            "not work cachegrind; instructions=cachegrind always)",
            "WHAT",
            multiple=True,
        ),
        Option(
            "metrics",
            "what the table shows: default, time, all, or some of time_wall_clock, time_cpu, memory_peak_resident and "
            "instructions; wall time stays the answer",
            "LIST",
        ),
        Option("show-output", "show the commands' output on stderr", flag=True, prints=True),
        Option("no-shell", "run the commands without a shell (the default)", flag=True, short="N"),
        Option(
            "shell", "run the commands through /bin/sh; its startup is measured and shown, not subtracted", flag=True
        ),
        Option("ignore-failure", "accept exit statuses other than 0", flag=True, short="i"),
        Option("timeout", "the time limit of an execution, as in 90s (default: 300s)", "TIME"),
    )

    def count_names(self, options: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        shown = hyperfine.INSTRUCTIONS in _shown(options)
        figures = [counter.figure for counter in counters(options.get("count", ()))]
        return tuple(dict.fromkeys([*figures, *([hyperfine.INSTRUCTIONS] if shown else [])]))

    def wants(self, request: RunRequest) -> Wanted:
        places = read_hosts(request.options)
        return Wanted() if places is None else Wanted(hosts=places.hosts)

    def design(self, request: RunRequest, machine: Machine) -> Design:
        options = dict(request.options) | {FOLDER: (machine.folder,)}
        beside = tuple(metric for metric in _shown(options) if metric not in (WALL.name, hyperfine.INSTRUCTIONS))
        if hyperfine.INSTRUCTIONS in _shown(options):
            options["count"] = (*options.get("count", ()), hyperfine.INSTRUCTIONS)
        first, *_ = read_cells(options)
        commands, places = Factor(CONTROL, tuple(first.argv)), first.places
        available = tuple(Factor(*scan) for scan in scans(options).items())
        if places is None:
            available = (*available, commands)
        else:
            available = (*available, *((commands,) if len(commands.levels) > 1 else ()), Factor(HOST, places.names))
        far_hosts = () if places is None else tuple(where for where in places.hosts if where != LOCAL_HOST)
        stopping, rounds_range, batch_s = _stopping_rule(runs(options), request.stopping)
        return Design(
            factors=choose(available, {}, request.levels),
            control=CONTROL if places is None else HOST,
            baseline=commands.levels[0] if places is None else places.baseline,
            metrics=(WALL, CPU, PEAK_MEMORY),
            rules=Rules(
                family=lambda levels: _FAMILY,
                lacks=lambda levels: () if places is None else (machine.host_lacks(places.where(levels)),),
                declares=lambda levels: {} if places is None else declares(levels[HOST], places.where(levels)),
                extra_operations=False,
            ),
            transfers=_TRANSFERS
            if places is None
            else f"It applies to these programs with these inputs. {scope(places)}",
            batch_s=batch_s,
            rounds_range=rounds_range,
            stopping=stopping,
            # Every execution is a fresh process: nothing warms up.
            warms_up=False,
            settles=False,
            equal_counts=True,
            options=options,
            answered_by="the answer is wall time, which includes waiting and I/O" + _next_to_it(beside),
            beside=beside,
            words={
                "metric=wall": "wall time",
                "metric=cpu": "CPU time",
                "empty loop": "starting the shell takes",
                "unequal=exit_statuses": "compare commands with equal exit statuses; if the difference is not a "
                "failure, make both end with 0: --shell 'CMD; true'",
            },
            # Launchers differ in their own cost; a different exit status or program is different work.
            equal_witnesses=("launcher", "exit_statuses", *(() if places is None else ("program",))),
            hosts=tuple(where for where in far_hosts if machine.host_lacks(where) is None),
        )

    def in_folders(
        self, options: Mapping[str, tuple[str, ...]], folders: Mapping[str, str], added: float
    ) -> dict[str, tuple[str, ...]] | None:
        if options.get("treatment") or options.get(HOST):
            return None
        names = tuple(map(make_name, folders))
        names = names if len(set(names)) == len(names) else (BASELINE, "treatment")
        changed = dict(options) | {
            "name": names,
            "treatment": tuple(f"{name}={text}" for name in names[1:] for text in options.get("baseline", ())),
            "in": tuple(f"{name}={folder}" for name, folder in zip(names, folders.values(), strict=True)),
        }
        return changed | ({"added": (f"{names[1]}={100 * added:g}%",)} if added else {})

    def command_lines(self, plan: Plan) -> dict[str, CommandLine]:
        """Command, given name and scan values of every treatment."""
        lines: dict[str, CommandLine] = {}
        for treatment in plan.treatments:
            if treatment.role in (Role.BASELINE, Role.TREATMENT):
                commands = _treatment_commands(treatment, plan)
                name = _command(treatment, commands)
                given = name if name in plan.options.get("name", ()) else ""
                index, combinations = list(commands.texts).index(name), plan.options.get("values", ())
                values = combinations[index].split(",") if index < len(combinations) else ()
                scanned = {k: level for k, level in treatment.levels.items() if k != plan.control}
                lines[treatment.id] = CommandLine(
                    commands.texts[name],
                    given,
                    scanned | dict(pair.split("=", 1) for pair in values),
                    commands.env[name],
                )
        return lines

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        choice = Choice(
            what="executions",
            uses=one_way(processor_hours),
            billed=CPU.name,
            month_by_default=False,
            changes="input or machine",
        )
        return AdviceRules(WALL.name, choice)


class _Bench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        cells = read_cells(plan.options)
        self._commands = cells[0]  # for the options that all cells share
        self._is_warm = False
        self._counters = counters(plan.options.get("count", ()))
        self._counted: dict[tuple[str, str], Witnesses] = {}
        if self._counters and self._commands.places is not None:
            raise WrongUse("--count works on this machine only", "remove it, or --host")
        for cell in cells:
            check_files(cell, programs=not cell.set_up)

    def identity(self) -> dict[str, str]:
        described: dict[str, dict[str, None]] = {}
        if self._commands.places is not None and not self._commands.places.use_this_machine:
            return {}
        if self._commands.set_up:  # may rebuild the programs in every session
            return {}
        for commands in read_cells(self.plan.options):
            for name, argv in commands.argv.items():
                described.setdefault(f"command.{name}", {})[command_files(argv, commands.folders[name])] = None
        if self._commands.input is not None:
            described["command.input"] = {command_files((self._commands.input,), self._commands.folder): None}
        return {name: "; ".join(files) for name, files in described.items()}

    def start(self, inputs: Mapping[str, str]) -> None:
        """Run --setup; --cleanup runs at the end, even after a failure."""
        self.callback(self._run, "--cleanup", self._commands.clean_up)
        self._run("--setup", self._commands.set_up)
        for cell in read_cells(self.plan.options) if self._commands.set_up else ():
            check_files(cell)
        # One program counts for all commands: the counts of two differ.
        working = [working_counter(counter, self._commands.folder) for counter in self._counters]
        for cell in read_cells(self.plan.options) if working else ():
            for name in cell.argv:
                self._counted[name, str(cell.argv[name])] = self._count(cell, name, working)

    def _count(self, commands: Commands, name: str, working: Sequence[tuple[Counter, Witnesses]]) -> Witnesses:
        counts: Witnesses = {}
        for counter, instead in working:
            counts |= instead | count_execution(
                counter,
                commands.argv[name],
                cwd=commands.folders[name],
                input=commands.input or os.devnull,
                deadline_s=commands.deadline_s,
                prepare=commands.prepare.get(name),
                conclude=commands.conclude.get(name),
                env=commands.env[name],
            )
        return counts

    def specs(self, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        self._is_warm |= calibrated is None
        return super().specs(inputs, calibrated)

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        from sectax.experiments.command.subject import CommandSpec  # imported late: starts processes

        commands = _treatment_commands(treatment, self.plan)
        name = _command(treatment, commands)
        places = commands.places
        where = LOCAL_HOST if places is None else places.where(treatment.levels)
        return CommandSpec(
            name=name if places is None else f"{name} on {treatment.levels[HOST]}",
            argv=commands.argv[name],
            # On another machine, the home folder.
            cwd=commands.folders[name] if sees_this_machine(where) else None,
            host=where,
            reports_host=places is not None,
            prepare=commands.prepare.get(name),
            conclude=commands.conclude.get(name),
            env=commands.env[name],
            deadline_s=commands.deadline_s,
            ignore_failure=commands.ignore_failure,
            injected_s=self.plan.added_s(treatment, calibrated) + self._planted_s(treatment, calibrated),
            # In the pilot; a session without one warms up in its blocks.
            warmup=0 if self._is_warm and calibrated is not None else commands.warmup,
            # With --runs, only --warmup adds executions.
            first=calibrated is not None and not runs(self.plan.options) and not _is_long(treatment, calibrated),
            input=commands.input or os.devnull,
            output=INHERIT if commands.show_output else NULL,
            counted=self._counted.get((name, str(commands.argv[name])), {}),
        )

    def _planted_s(self, treatment: Treatment, calibrated: Calibrated | None) -> float:
        """Known cost of --added in seconds, from the pilot's baseline time."""
        commands = _treatment_commands(treatment, self.plan)
        share = commands.added.get(_command(treatment, commands), 0.0)
        baseline = self.plan.cell(treatment.cell).baseline
        calibration = None if calibrated is None else calibrated.calibrations.get(baseline)
        return 0.0 if calibration is None else share * calibration.operation_s

    def empties(self) -> dict[str, SubjectSpec]:
        """The shell's startup, part of every command with --shell."""
        if not self.plan.options.get("shell"):
            return {}
        from sectax.experiments.command.subject import CommandSpec

        commands, where = self._commands, LOCAL_HOST
        if commands.places is not None:
            where = commands.places.hosts[0]
        folder = commands.folder if sees_this_machine(where) else None
        return {_FAMILY: CommandSpec("shell", (*SHELL, ""), cwd=folder, deadline_s=commands.deadline_s, host=where)}

    def _run(self, option: str, hooks: tuple[tuple[str, ...], ...]) -> None:
        from sectax.experiments.command.hook import HookFailed, run_hook  # imported late: starts processes

        for argv in hooks:
            try:
                commands = self._commands
                run_hook(argv, commands.deadline_s, cwd=commands.folder, env=commands.common_env)
            except HookFailed as error:
                raise HookFailed(f"{option} {error.message}", error.hint) from error


def _shown(options: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    typed = options.get("metrics")
    return (CPU.name,) if typed is None else hyperfine.read_metrics(typed[0])


def _next_to_it(metrics: tuple[str, ...]) -> str:
    words = {CPU.name: "CPU time", PEAK_MEMORY.name: "peak memory"}
    names = " and ".join(words[metric] for metric in metrics)
    return f"; {names} {'is' if len(metrics) == 1 else 'are'} shown next to it" if names else ""


def _is_long(treatment: Treatment, calibrated: Calibrated) -> bool:
    calibration = calibrated.calibrations.get(treatment.id)
    return calibration is not None and calibration.operation_s >= LONG_S


def _command(treatment: Treatment, commands: Commands) -> str:
    """Command of a treatment; without that factor, the only one."""
    return treatment.levels.get(CONTROL) or next(iter(commands.texts))


def _treatment_commands(treatment: Treatment, plan: Plan) -> Commands:
    """Commands of a treatment; an execution may last no longer than the budget that was given."""
    commands = read_commands(plan.options, {name: treatment.levels[name] for name in scans(plan.options)})
    budget_s = None if plan.stopping.extends else plan.stopping.budget_s
    return replace(commands, deadline_s=min(commands.deadline_s, budget_s or math.inf))


def _stopping_rule(runs: int | None, stopping: Stopping) -> tuple[Stopping, tuple[int, int], float]:
    """Stopping rule, rounds and batch time. Raises `WrongUse`."""
    if runs is None:
        return stopping, _ROUNDS, _BATCH_S
    if stopping.fixed_blocks or stopping.max_blocks or (stopping.budget_s and not stopping.extends):
        raise WrongUse(
            "--runs cannot be combined with --blocks, --max-blocks or --budget", "use --runs with a larger number"
        )
    rounds = max(1, runs // _BLOCKS_OF_RUNS)
    blocks = max(FIRST_LOOK, math.ceil(runs / rounds))
    fixed = replace(stopping, fixed_blocks=blocks, max_blocks=blocks, budget_s=None, extends=False)
    # Batches of length 0 have one execution each, if the clock allows it.
    return fixed, (rounds, rounds), 0.0
