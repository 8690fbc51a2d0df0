"""Subject of a command, executed and timed by a launcher."""

from __future__ import annotations

import contextlib
import os
import statistics
from dataclasses import dataclass, field

from sectax.experiments.command import launchers, requests
from sectax.hosts import facts
from sectax.hosts.process.errors import ChildError, ChildNotStarted, describe_exit
from sectax.hosts.process.host import NotFound
from sectax.hosts.process.telemetry import NoTelemetry, difference
from sectax.hosts.registry import Telemetry, host, host_facts
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.text.printable import printable

# Executions of a program that does nothing: enough for a median, and 4 ms in total.
_NOTHINGS = 9
# The kernel counts resident pages per CPU, so the same program differs by some dozens of pages.
_FLOOR_SLACK = 256 * 1024

# Failures of the launcher itself; those of the command are ordinary replies.
_LAUNCHER_ERRORS = (ChildError, ValueError)

_LONGEST_DIAGNOSIS_S = 10.0

_BY_HAND = "run it by hand to see why; --ignore-failure accepts other exit statuses"
_HOOK_BY_HAND = "run the command of --{} by hand; it must end with exit status 0"
# By slot.
_HOOKS = {launchers.PREPARE: "prepare", launchers.CONCLUDE: "conclude"}
_SLOTS = {
    "": (launchers.COMMAND, launchers.COMMAND_ALOUD),
    "prepare": (launchers.PREPARE, launchers.PREPARE_ALOUD),
    "conclude": (launchers.CONCLUDE, launchers.CONCLUDE_ALOUD),
}
_HOOK_TITLES = {"prepare": "preparation", "conclude": "conclusion"}


@dataclass(frozen=True)
class CommandSpec:
    """How a command is executed.

    Attributes:
        name: of the treatment, for messages.
        argv: program and arguments, without a shell.
        cwd: working directory; None for the current one.
        prepare: runs untimed before every execution; its processes are killed after the execution and `conclude`.
        conclude: runs untimed after every execution, even after one that failed.
        input: file for stdin.
        output: `null` discards stdout and stderr; `inherit` shows both on sectax's stderr; otherwise a file for
            stdout. Some programs, such as GNU grep, do less if stdout is /dev/null: give those a file.
        env: added to sectax's environment; may contain secrets, and is passed over a pipe.
        deadline_s: time limit of an execution and of its preparation.
        ignore_failure: accept any exit status or signal; a timeout or lack of memory still fails.
        injected_s: known cost of the positive control, spent before the process becomes the program.
        warmup: uncounted executions of a fresh launcher.
        first: whether the first execution is uncounted too, and reported separately.
        host: name of its host (`sectax.hosts.registry`), whose files and folders are used.
        reports_host: whether witnesses include facts about the host.
        counted: counts of an execution, as witnesses.
    """

    name: str
    argv: tuple[str, ...]
    cwd: str | None = None
    prepare: tuple[str, ...] | None = None
    conclude: tuple[str, ...] | None = None
    input: str = os.devnull
    output: str = requests.NULL
    env: dict[str, str] = field(default_factory=dict, repr=False)
    deadline_s: float = 300.0
    ignore_failure: bool = False
    injected_s: float = 0.0
    warmup: int = 0
    first: bool = True
    host: str = LOCAL_HOST
    reports_host: bool = False
    counted: Witnesses = field(default_factory=dict)

    def subject(self) -> CommandSubject:
        return CommandSubject(self)


class CommandSubject:
    """Implements `sectax.model.subject.Subject` for a command.

    Every execution is a process group without a terminal. Processes left in it are killed after the execution, outside
    of the timed region.
    """

    def __init__(self, spec: CommandSpec, using: launchers.Launcher | None = None) -> None:
        """Args: spec; launcher, by default the best one."""
        self.first: tuple[Observation, ...] = ()
        self._spec = spec
        self._host = host(spec.host)
        self._using = using
        self._running: launchers.RunningLauncher | None = None
        self._telemetry: Telemetry = NoTelemetry()
        self._stage = "open"
        self._path = ""
        self._hooks = {hook: argv for hook in _HOOK_TITLES if (argv := getattr(spec, hook)) is not None}
        self._hook_paths: dict[str, str] = {}
        self._floor: int | None = None
        self._smallest_peak: int | None = None
        self._statuses: set[int] = set()
        self._failed = 0
        self._left = False

    def start(self) -> None:
        """Start the launcher without waiting; the command itself is not run."""
        if self._running is not None:
            return
        spec = self._spec
        self._path = self._find(spec.argv)
        self._hook_paths = {hook: self._find(argv, hook) for hook, argv in self._hooks.items()}
        try:
            self._using = self._using or launchers.host_launcher(self._host)
        except ChildNotStarted as error:
            raise self._failure(f"cannot be timed: {error.reason}", "install a C compiler (cc) here") from error
        try:
            self._running = launchers.RunningLauncher(self._host, self._using, spec.cwd, spec.env)
            for definition in launchers.definitions(self._path, spec.argv, spec.input, spec.output):
                self._running.define(definition)
            for hook, argv in self._hooks.items():
                for definition in launchers.hook_definitions(_SLOTS[hook], self._hook_paths[hook], argv):
                    self._running.define(definition)
        except ChildNotStarted as error:
            raise self._failure(f"cannot run: {error.reason}", "give another working directory") from error
        except _LAUNCHER_ERRORS as error:
            raise self._launcher_failed(error) from error

    def open(self) -> Witnesses:
        """Measure the cost of launching, then run uncounted executions.

        Returns:
            program: its path.
            launcher: name of the launcher.
            launch_cost_s: median wall time of a program that does nothing, included in every wall time.
            peak_memory_floor_bytes: peak memory of that program; smaller peaks are not visible.
            clock, clock_granularity_s, clock_read_s: of the launcher.
            isolation, memory_encryption, kernel, …: with `spec.reports_host`.
        """
        self.start()
        running = self._alive()
        assert self._using is not None
        witnesses: Witnesses = {"program": self._path, "launcher": self._using.name, "clock": "monotonic"}
        try:
            clock = running.clock()
            witnesses["clock_granularity_s"] = clock.granularity_s
            witnesses["clock_read_s"] = clock.read_s
            if self._using.nothing is not None:
                witnesses |= self._launch_cost(running, self._using.nothing)
            witnesses |= self._spec.counted
            if self._spec.reports_host:
                witnesses |= facts.witnesses(host_facts(self._spec.host))
        except _LAUNCHER_ERRORS as error:
            raise self._launcher_failed(error) from error
        self._telemetry = self._host.telemetry(running.child)
        if self._spec.first:
            (execution,) = self._execute(1)
            self.first = (Observation("first", execution.wall_s, "s", "monotonic", 1),)
        if self._spec.warmup:
            self._execute(self._spec.warmup)
        self._stage = "visit"
        return witnesses

    def visit(self, work: Work) -> Visit:
        """Execute the command `work.settle` times unrecorded, then `work.count` times.

        Observations: `wall` and `cpu`, one for all executions, or one for each with `work.each`; `peak_memory`, the
        largest of the executions.
        """
        if work.extra:
            raise ValueError("extra operations are not supported; a known cost is CommandSpec.injected_s")
        if work.settle:
            self._execute(work.settle)
        before = self._telemetry.read()
        executions = self._execute(work.count)
        telemetry = difference(before, self._telemetry.read())
        return Visit(self._observations(executions, work.each), _telemetry(telemetry, executions))

    def close(self) -> Witnesses:
        """End the launcher.

        Returns:
            peak_memory_at_most: whether a peak was so close to the floor that the program may have needed less.
            left_running: whether processes were left, which were killed and whose CPU time was not counted.
            exit_statuses, failed_executions: with `spec.ignore_failure`.
        """
        self._stage = "close"
        try:
            self._alive().quit()
        except _LAUNCHER_ERRORS as error:
            raise self._launcher_failed(error) from error
        self.kill()
        witnesses: Witnesses = {"left_running": self._left}
        if self._floor is not None and self._smallest_peak is not None:
            witnesses["peak_memory_at_most"] = self._smallest_peak <= self._floor + _FLOOR_SLACK
        if self._spec.ignore_failure:
            witnesses["exit_statuses"] = ", ".join(map(str, sorted(self._statuses)))
            witnesses["failed_executions"] = self._failed
        return witnesses

    def kill(self) -> None:
        """End the command and its launcher at once; never raises."""
        self._telemetry.close()
        if self._running is not None:
            self._running.kill()

    def _find(self, argv: tuple[str, ...], hook: str = "") -> str:
        try:
            return self._host.find_program(argv[0], self._spec.cwd, self._spec.env)
        except NotFound as error:
            raise self._failure(str(error), error.hint, hook) from error

    def _launch_cost(self, running: launchers.RunningLauncher, nothing: tuple[str, ...]) -> Witnesses:
        null = requests.truncated(os.devnull)
        running.define(requests.program(launchers.NOTHING, os.devnull, null, null, nothing[0], nothing))
        executions = running.run(launchers.NOTHING, _NOTHINGS, deadline_s=10.0).executions
        if len(executions) < _NOTHINGS:
            return {}
        self._floor = max(execution.peak_memory for execution in executions)
        cost_s = statistics.median(execution.wall_s for execution in executions)
        return {"launch_cost_s": cost_s, "peak_memory_floor_bytes": self._floor}

    def _execute(self, times: int) -> tuple[requests.Execution, ...]:
        spec = self._spec
        try:
            done = self._alive().run(
                launchers.COMMAND,
                times,
                prepare=self._hook_slot("prepare"),
                conclude=self._hook_slot("conclude"),
                strict=not spec.ignore_failure,
                deadline_s=spec.deadline_s,
                spin_s=spec.injected_s,
            )
        except _LAUNCHER_ERRORS as error:
            raise self._launcher_failed(error) from error
        self._judge(done)
        self._left |= any(execution.left for execution in done.executions)
        peaks = [execution.peak_memory for execution in done.executions]
        self._smallest_peak = min(peaks if self._smallest_peak is None else [self._smallest_peak, *peaks])
        return done.executions

    def _judge(self, done: requests.Done) -> None:
        """Count the statuses. Raises `SubjectFailed` for an execution that cannot count."""
        spec = self._spec
        match done.end:
            case requests.Late(slot):
                raise self._failure(*requests.timeout_message(spec.deadline_s), _HOOKS.get(slot, ""))
            case requests.LauncherRefused(slot) as refused:
                path = self._hook_paths.get(_HOOKS.get(slot, ""), self._path)
                what = requests.refusal_message(
                    refused, printable(path, 200), printable(spec.input, 200), printable(spec.output, 200)
                )
                raise self._failure(*what, _HOOKS.get(slot, ""))
            case requests.HookStatus(slot, status):
                raise self._exit_failure(status, _HOOKS[slot])
        self._statuses |= {execution.status for execution in done.executions}
        failed = [execution.status for execution in done.executions if execution.status != 0]
        self._failed += len(failed)
        for status in failed:
            if not spec.ignore_failure or self._out_of_memory(status):
                raise self._exit_failure(status)

    def _hook_slot(self, hook: str) -> int | None:
        return _SLOTS[hook][0] if hook in self._hooks else None

    def _exit_failure(self, status: int, hook: str = "") -> SubjectFailed:
        out_of_memory = self._out_of_memory(status)
        hint = _HOOK_BY_HAND.format(hook) if hook else _BY_HAND
        message, hint = requests.exit_message(status, out_of_memory, hint)
        # Not after a kill, which may be for lack of memory and hit other processes too; inherited stderr is visible.
        if not requests.is_sigkill(status) and self._spec.output != requests.INHERIT:
            message += self._stderr_of_failure(status, hook)
        return self._failure(message, hint, hook)

    def _stderr_of_failure(self, status: int, hook: str) -> str:
        """Run the failed command again, untimed, to read its stderr; ends the launcher.

        Returns a text to append to the message.
        """
        running = self._alive()
        with contextlib.suppress(*_LAUNCHER_ERRORS):
            done = running.run(
                _SLOTS[hook][1],
                prepare=None if hook else self._hook_slot("prepare"),
                conclude=None if hook else self._hook_slot("conclude"),
                deadline_s=min(self._spec.deadline_s, _LONGEST_DIAGNOSIS_S),
            )
            running.quit()  # reads the rest of its stderr
            if not isinstance(done.end, requests.HookStatus) and done.executions:
                second_status = done.executions[0].status
                if second_status == status:
                    return requests.stderr_message(running.child.stderr_tail)
                return f"; run again to read its stderr, it ended with {describe_exit(second_status)}"
        return ""

    def _out_of_memory(self, status: int) -> bool:
        return requests.is_sigkill(status) and self._alive().child.saw_memory_kill

    def _observations(self, executions: tuple[requests.Execution, ...], one_by_one: bool) -> tuple[Observation, ...]:
        batches = [(execution,) for execution in executions] if one_by_one else [executions]
        walls = [Observation("wall", sum(e.wall_s for e in batch), "s", "monotonic", len(batch)) for batch in batches]
        cpus = [Observation("cpu", sum(e.cpu_s for e in batch), "s", "rusage", len(batch)) for batch in batches]
        peak = max(execution.peak_memory for execution in executions)
        return (*walls, *cpus, Observation("peak_memory", float(peak), "B", "rusage", 1))

    def _alive(self) -> launchers.RunningLauncher:
        if self._running is None:
            raise RuntimeError("the subject was not started")
        return self._running

    def _launcher_failed(self, error: Exception) -> SubjectFailed:
        return self._failure(f"could not be executed, its launcher failed: {error}", "try again, or report it")

    def _failure(self, message: str, hint: str, hook: str = "") -> SubjectFailed:
        self.kill()
        spec = self._spec
        title = f"command {spec.name} ({spec.argv[0]})"
        if hook:
            title = f"the {_HOOK_TITLES[hook]} of command {spec.name} ({self._hooks[hook][0]})"
        return SubjectFailed(printable(f"{title}: {message}"), printable(hint), self._stage)


def _telemetry(counters: dict[str, float], executions: tuple[requests.Execution, ...]) -> dict[str, float]:
    """Telemetry of a visit: shared counters, and the executions' own ones."""
    shared = {name: counters[name] for name in ("steal_s", "throttled_s", "throttled_periods") if name in counters}
    return shared | {
        "system_s": sum(execution.system_s for execution in executions),
        "voluntary_switches": float(sum(execution.voluntary_switches for execution in executions)),
        "involuntary_switches": float(sum(execution.involuntary_switches for execution in executions)),
    }
