"""Subject of one test on a host, run through a shell there.

The shell is started once per block and test, so logins and container starts are not measured. Times are taken by the
test itself, on its host.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from dataclasses import dataclass

from sectax.experiments.confidential import cpuid, probe
from sectax.experiments.confidential.circuit_breaker import CIRCUIT_BREAKER
from sectax.experiments.confidential.cpuid import Leaves
from sectax.experiments.confidential.output import GRANULARITY_S, MOST_BYTES, SysbenchResult, UnknownOutput, read_result
from sectax.experiments.confidential.sysbench_tests import (
    BLOCK,
    FIRST_BLOCK,
    PROBE,
    PUBLISHED_TESTS,
    SYSBENCH,
    TESTS,
    HostTest,
)
from sectax.hosts import facts, leftovers
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildDied, ChildError, ChildNotStarted, ChildSilent
from sectax.hosts.process.processors import pinned
from sectax.hosts.process.telemetry import NoTelemetry, difference
from sectax.hosts.registry import Host, Telemetry, host, host_facts
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Observation, Visit, Witness, Witnesses, Work
from sectax.text.printable import printable

TOTAL_TIME = "total_time"
CPU_TIME = "cpu_time"

# Time for an execution beyond its own limit: a slow disk, a slow login.
_GRACE_S = 20.0
_CLOSE_S = 5.0
# A live host answers a shell's `echo` within this time.
_ANSWER_S = 5.0
# A quicker failure is an error, not a hang.
_LONG_S = 2.0
_LINE_LIMIT = 8 * 1024
_VERSION = re.compile(r"sysbench ([0-9][\w.+-]{0,40})(?: [\w .,:()/+-]{0,80})?", re.ASCII)
# Tolerances between the test's clock and ours.
_CLOCKS_DIFFER, _LATER_S = 1.05, 0.1
_OTHER_PROCESSOR = "it is built for this machine's kind of processor, and needs a folder with executable files"
# Environments are the same on every host: their size moves the stack, and a locale changes programs' behaviour. The
# shell's folder contains a link to sysbench.
_PATH = ".:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Runs lines of words in its own folder: the probe ($1) or sysbench. After `serve`, lines go to the probe, which stays
# alive between batches. An unguessable mark ends each answer. The folder is removed when stdin ends; those of killed
# shells are removed first. If $3 is `one`, taskset binds all to the last processor, which `where` prints.
_SHELL = rf"""{leftovers.SWEEP}
set -f
folder=$(mktemp -d "/var/tmp/$0-XXXXXX") || exit 3
trap 'cd / && rm -rf "$folder"' EXIT
trap 'exit 4' HUP INT TERM PIPE
cd "$folder" || exit 3
echo "$$" >{leftovers.OWNER}
found=$(command -v sysbench) && ln -s "$found" sysbench
where=
if [ "$3" = one ] && affinity=$(taskset -cp "$$" 2>/dev/null); then
  last=${{affinity##*[ ,-]}}
  taskset -cp "$last" "$$" >/dev/null 2>&1 && where=$last
fi
while IFS= read -r words; do
  case $words in
    where) echo "$where" ;;
    serve) env -i LC_ALL=C PATH="$2" "$1" serve "$0" 2>&1 ;;
    'probe '*) env -i LC_ALL=C PATH="$2" "$1" ${{words#probe }} </dev/null 2>&1 ;;
    *) env -i LC_ALL=C PATH="$2" $words </dev/null 2>&1 ;;
  esac
  printf '\n%s %s\n' "$0" "$?"
done
"""

# On another machine a hanging shell survives the connection.
_TIDY = rf"""
for file in "/var/tmp/$0"-*/{leftovers.OWNER}; do
  [ ! -r "$file" ] || kill -9 "$(cat "$file")" 2>/dev/null
done
rm -rf "/var/tmp/$0"-*
"""

# Hosts on which the probe runs, with their CPUID, and hosts on which it does not.
_WITH_PROBE: dict[str, Leaves] = {}
_WITHOUT_PROBE: set[str] = set()


@dataclass(frozen=True)
class SysbenchSpec:
    """One test on one host.

    Attributes:
        host: name of a host (`sectax.hosts.registry`).
        test: name in `TESTS`, or in `PUBLISHED_TESTS` if `as_published`.
        block: bytes of a memory test's block.
        longest_s: time after which an execution is considered hung.
    """

    host: str
    test: str
    block: int = BLOCK
    longest_s: int = 60
    as_published: bool = False

    @property
    def known_s(self) -> float | None:
        """Approximate time of a study's command, which the pilot does not run."""
        return PUBLISHED_TESTS[self.test].known_s if self.as_published else None

    def subject(self) -> SysbenchSubject:
        return SysbenchSubject(self, host(self.host))


class SysbenchSubject:
    """Implements `Subject`; the first operation is not timed separately."""

    def __init__(self, spec: SysbenchSpec, at: Host) -> None:
        self.first: tuple[Observation, ...] = ()
        self._spec = spec
        self._test: HostTest = (PUBLISHED_TESTS if spec.as_published else TESTS)[spec.test]
        self._host = at
        self._mark = f"sectax-{secrets.token_hex(8)}"
        self._child: Child | None = None
        self._probe = ""  # its path on the host; empty if unusable
        self._serves = False  # whether the probe reads the lines
        self._telemetry: Telemetry = NoTelemetry()
        self._stage = "open"
        self._events: set[int] = set()
        # Containers inherit our processors; another machine binds to one of its own. The last one, since many kernels
        # handle interrupts on the first.
        self._is_remote = spec.host.startswith("ssh:")
        self._takes_one = self._test.takes_one_processor and not self._is_remote
        self._processor = max(os.sched_getaffinity(0))

    def start(self) -> None:
        if self._child is not None:
            return
        self._check_back_off()
        began = time.monotonic()
        try:
            self._probe = self._sent_probe()
            one_processor = "one" if self._is_remote and self._test.takes_one_processor else ""
            words = ("/bin/sh", "-c", _SHELL, self._mark, self._probe, _PATH, one_processor)
            with pinned({self._processor}) if self._takes_one else contextlib.nullcontext():
                self._child = self._host.start(words, line_limit=_LINE_LIMIT)
        except ChildNotStarted as error:
            if time.monotonic() - began > _LONG_S:
                CIRCUIT_BREAKER.hung(self._spec.host, time.monotonic() - began)
            raise self._failure(error.reason) from error

    def open(self) -> Witnesses:
        """Create the test's files, and run it once unless it is a study's command.

        Returns:
            environment of the tests; facts about the host (isolation, memory_encryption, kernel, mitigations, …);
            tool, program and version; clock granularity; processor, if bound to one; configured_s, time limit of a
            study's command.
        Raises:
            SubjectSkipped: the host does not have the program, or does not support the test.
        """
        self.start()
        witnesses = self._host_witnesses()
        self._check_probe()
        witnesses = cpuid.witnesses(_WITH_PROBE.get(self._spec.host, {}), witnesses)
        if self._test.prepare:
            output, _ = self._run(self._test.program, *self._test.prepare)
            fatal = next((line for line in output.splitlines() if "FATAL" in line), None)
            if fatal is not None:
                raise self._failure(f"its files could not be created: {printable(fatal, 200)}")
        output, _ = self._run("env")
        witnesses["environment"] = printable(", ".join(sorted(output.split())), 200)
        witnesses |= self._processor_witness() | self._tool()
        assert self._child is not None
        self._telemetry = self._host.telemetry(self._child)
        self._stage = "visit"
        return witnesses

    def visit(self, work: Work) -> Visit:
        """Run the test once with all operations; single operations raise ValueError."""
        if work.each:
            raise ValueError("a test does not time single operations")
        if work.settle:
            self._execute(work.settle)
        before = self._telemetry.read()
        reading = self._execute(work.count + work.extra)
        CIRCUIT_BREAKER.answered(*self._hang_keys)
        counters = difference(before, self._telemetry.read())
        shared = {name: value for name, value in counters.items() if name == "steal_s"}
        if reading.steal_s is not None:
            shared.setdefault("steal_s", reading.steal_s)
        observed = [Observation(TOTAL_TIME, reading.total_s, "s", self._test.program, work.count)]
        if reading.cpu_s is not None:
            observed.append(Observation(CPU_TIME, reading.cpu_s, "s", "rusage", work.count))
        return Visit(tuple(observed), shared)

    def close(self) -> Witnesses:
        """Returns `events` of a study's command, the smallest and largest count."""
        self._stage = "close"
        self.kill()
        return {"events": f"{min(self._events)} to {max(self._events)}"} if self._events else {}

    def kill(self) -> None:
        """End the shell and remove its files; never raises."""
        self._telemetry.close()
        if self._child is not None:
            child, self._child = self._child, None
            with contextlib.suppress(ChildError, OSError):
                if child.close(grace=0.0 if self._stage == "hung" else _CLOSE_S) < 0:
                    self._clean_up()

    def _clean_up(self) -> None:
        """Kill a shell on another machine, and remove its files. Raises `ChildError`."""
        with self._host.start(("/bin/sh", "-c", _TIDY, self._mark)) as child:
            child.wait(time.monotonic() + _CLOSE_S)

    def _check_back_off(self) -> None:
        left_s = CIRCUIT_BREAKER.back_off_s(*self._hang_keys)
        if left_s > 0:
            raise self._failure(f"it hung twice; next attempt in {left_s:.0f} s")
        if CIRCUIT_BREAKER.has_hung(self._spec.host) and not self._is_alive():
            raise self._failure("it still does not answer")

    def _sent_probe(self) -> str:
        """Path of the probe on the host; empty if unusable."""
        needed = self._test.program == PROBE
        file = probe.built()
        if file is None or self._spec.host in _WITHOUT_PROBE:
            if needed:
                if file is None:
                    raise SubjectSkipped(probe.NO_COMPILER, "apt-get install gcc libc6-dev here")
                raise SubjectSkipped(f"the probe does not run on {self._spec.host}", _OTHER_PROCESSOR)
            return ""
        return self._host.put(file)

    def _check_probe(self) -> None:
        """Check, once per host, that the probe runs there. Raises `SubjectSkipped`."""
        name = self._spec.host
        if not self._probe or name in _WITH_PROBE:
            return
        output, status = self._ask(f"{PROBE} nothing")
        if status == 0 and not output.strip():  # a shell runs an unknown program as a script
            _WITH_PROBE[name] = probe.read_cpuid(self._ask(f"{PROBE} cpuid")[0])
            return
        _WITHOUT_PROBE.add(name)
        self._probe = ""
        if self._test.program == PROBE:
            self.kill()
            reason = f"the probe does not run on {name}: {printable(output.strip(), 120)}"
            raise SubjectSkipped(reason, _OTHER_PROCESSOR)

    def _host_witnesses(self) -> Witnesses:
        try:
            return facts.witnesses(host_facts(self._spec.host))
        except ChildNotStarted as error:
            raise self._failure(error.reason) from error
        except ChildError as error:
            raise self._failure(f"cannot read facts about the host: {error}") from error

    def _processor_witness(self) -> Witnesses:
        if not self._is_remote:
            return {"processor": self._processor} if self._takes_one else {}
        number = self._ask("where")[0].strip()
        return {"processor": int(number)} if number.isdecimal() else {}

    def _tool(self) -> Witnesses:
        """Program and version, checked by running the test. Raises as `open`."""
        tool: dict[str, Witness] = {"clock": self._test.program, "clock_read_s": 0.0}
        if self._test.program == PROBE:
            self._ask("serve")
            self._serves = True
            self._execute(1)
            return tool | {"tool": probe.version(), "clock_granularity_s": probe.GRANULARITY_S}
        output, status = self._run(SYSBENCH, "--version")
        match = next((version for line in output.splitlines() if (version := _VERSION.fullmatch(line))), None)
        if match is None:
            self.kill()
            last = output.strip().splitlines()[-1:] or [f"exit status {status}"]
            reason = f"there is no sysbench on {self._spec.host}: {printable(last[0], 120)}"
            raise SubjectSkipped(reason, "apt-get install sysbench there")
        if self._test.clock_s is not None:
            tool["configured_s"] = self._test.clock_s
        else:
            self._execute(1, FIRST_BLOCK)
        return tool | {"tool": match[0].strip(), "sysbench": match[1], "clock_granularity_s": GRANULARITY_S}

    def _execute(self, count: int, block: int | None = None) -> SysbenchResult:
        if self._test.as_published:
            return _sum([self._run_once(1, self._spec.block) for _ in range(count)])
        return self._run_once(count, block or self._spec.block)

    def _run_once(self, count: int, block: int) -> SysbenchResult:
        words = self._test.arguments(count, block, self._spec.longest_s)
        began = time.monotonic()
        text, status = self._ask(" ".join(words)) if self._serves else self._run(self._test.program, *words)
        passed_s = time.monotonic() - began
        try:
            if self._test.program == PROBE:
                if status == 3:  # not supported on this host
                    self._refuse_unsupported(text)
                return _plausible(probe.read_test(text, self._test.name, count), passed_s)
            cpu_s, steal_s = None, None
            if self._probe:
                text, cpu_s, steal_s = probe.read_run(text)
            result = read_result(text)
            reading = _plausible(SysbenchResult(result.total_s, cpu_s, steal_s, result.events), passed_s)
        except UnknownOutput as error:
            raise self._failure(str(error)) from error
        wanted = self._test.wanted_events(count)
        if wanted is None:
            self._events.add(result.events)
        elif result.events != wanted or result.threads != self._test.threads:
            raise self._failure(f"it did {result.events} of {wanted} events within {self._spec.longest_s} s")
        return reading

    def _refuse_unsupported(self, output: str) -> None:
        last = output.strip().splitlines()[-1:] or [""]
        message = f"{self._test.name} is not supported on {self._spec.host}: {printable(last[0], 120)}"
        if self._stage != "open":
            raise self._failure(message)
        self.kill()
        raise SubjectSkipped(message)

    def _run(self, program: str, *words: str) -> tuple[str, int]:
        """Output and exit status of a program; sysbench ends with 0 even after errors."""
        counted = (PROBE, "run") if program == SYSBENCH and self._probe else ()
        return self._ask(" ".join((*counted, program, *words)))

    def _ask(self, line: str) -> tuple[str, int]:
        child = self._child
        if child is None:
            raise self._failure("its shell has ended")
        began = time.monotonic()
        deadline = began + self._spec.longest_s + min(_GRACE_S, self._spec.longest_s)
        mark = self._mark.encode()
        lines: list[bytes] = []
        size = 0
        try:
            child.send(line.encode() + b"\n", deadline)
            while not (answer := child.receive_line(deadline)).startswith(mark):
                size += len(answer)
                if size > MOST_BYTES:
                    raise self._failure("its output is too long")
                lines.append(answer)
        except ChildSilent as error:
            self._stage, cost_s = "hung", time.monotonic() - began
            if self._is_alive():  # otherwise the whole host hangs
                CIRCUIT_BREAKER.hung((self._spec.host, self._spec.test), cost_s)
            raise self._failure(f"no answer within {error.seconds:.0f} s", stage="visit") from error
        except ChildDied as error:
            last = f": {error.last_line}" if error.last_line else ""
            raise self._failure(f"its shell ended ({error}){last}") from error
        except ChildError as error:
            raise self._failure(str(error)) from error
        status = answer[len(mark) :].strip()
        text = b"".join(lines).decode(errors="replace").removesuffix("\n")
        return text, int(status) if re.fullmatch(rb"[0-9]{1,3}", status) else -1

    def _is_alive(self) -> bool:
        """Whether the host answers; notes a hang otherwise."""
        began = time.monotonic()
        try:
            with self._host.start(("echo", "alive")) as child:
                child.receive_line(began + _ANSWER_S)
        except ChildError:
            CIRCUIT_BREAKER.hung(self._spec.host, time.monotonic() - began)
            return False
        return True

    @property
    def _hang_keys(self) -> tuple[object, ...]:
        return self._spec.host, (self._spec.host, self._spec.test)

    def _failure(self, why: str, *, stage: str | None = None) -> SubjectFailed:
        stage = stage or self._stage
        self.kill()
        message = f"{self._test.program} {self._spec.test} on {self._spec.host}: {why}"
        by_hand = " ".join(self._test.arguments(1, self._spec.block, self._spec.longest_s))
        path = SYSBENCH if self._test.program == SYSBENCH else probe.built() or PROBE
        return SubjectFailed(printable(message, 400), f"run it by hand there: {path} {by_hand}", stage)


def _sum(readings: list[SysbenchResult]) -> SysbenchResult:
    def added(values: list[float | None]) -> float | None:
        reported = [value for value in values if value is not None]
        return sum(reported) if len(reported) == len(values) else None

    return SysbenchResult(
        sum(reading.total_s for reading in readings),
        added([reading.cpu_s for reading in readings]),
        added([reading.steal_s for reading in readings]),
    )


def _plausible(reading: SysbenchResult, passed_s: float) -> SysbenchResult:
    """Raise `UnknownOutput` for a time longer than that to get it."""
    if reading.total_s > passed_s * _CLOCKS_DIFFER + _LATER_S:
        raise UnknownOutput(f"it reported {reading.total_s:.4g} s, but answered within {passed_s:.4g} s")
    return reading
