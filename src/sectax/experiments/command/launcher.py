"""Starts and times programs if there is no C compiler to build launcher.c.

Runs as a script in a separate interpreter (`python -I -S -E launcher.py`) and imports little, since a program's peak
memory is at least that of its launcher. Same requests and replies as launcher.c, with higher costs.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
from types import FrameType

_CLOCK_READINGS = 2000
_SLOTS = 8
_SET_CHILD_SUBREAPER = 36
_LONGEST_POLL_MS = 1e8  # a 32-bit argument


class Program:
    def __init__(self, words: list[str]) -> None:
        self.input, self.output, self.errors, self.path, *self.argv = map(_text, words)


class Ended:
    """End of an execution; `refused`: what was unavailable, `error`: its errno."""

    def __init__(self) -> None:
        self.pid = 0
        self.wall_ns = 0
        self.spin_cpu_ns = 0
        self.status = 0
        self.late = False
        self.refused = ""
        self.error = 0
        self.left = False
        self.usage: object = None


_programs: dict[int, Program] = {}
_environment = dict(os.environb)
_groups: list[int] = []  # leaders, not reaped yet, of groups that may be alive
_woken, _wake = os.pipe()


def _text(coded: str) -> bytes:
    """Decode 'x' and hex digits, keeping a mark before the x."""
    mark, separator, code = coded.partition("x")
    return mark.encode() + bytes.fromhex(code) if separator else coded.encode()


def _abandon(number: int = 0, frame: FrameType | None = None) -> None:
    for leader in list(_groups):
        _sweep(leader, Ended())
    _sweep_inherited()
    os._exit(1)


def _kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        return


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _sweep(leader: int, ended: Ended) -> None:
    """Kill the group of an unreaped leader, whose ID is still taken; reap it."""
    _kill(leader)
    _reap(leader, ended)
    if _alive(leader):
        ended.left = True
        for _ in range(50):  # wait, so that they do not end during the next execution
            time.sleep(0.001)
            if not _alive(leader):
                break


def _reap(leader: int, ended: Ended) -> None:
    _, ended.status, ended.usage = os.wait4(leader, 0)
    _groups.remove(leader)


def _inherit() -> None:
    """Become the parent of orphans, including those in other sessions."""
    import ctypes

    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _sweep_inherited() -> None:
    """Kill and reap inherited orphans; there must be no other child."""
    for _ in range(500):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            with open("/proc/thread-self/children") as children:
                for child in children.read().split():
                    os.kill(int(child), signal.SIGKILL)
        except (ChildProcessError, FileNotFoundError):
            return
        except ProcessLookupError:
            pass
        time.sleep(0.001)


def _open(program: Program, ended: Ended) -> list[int]:
    files: list[int] = []
    for name, marked in (("input", b"<" + program.input), ("output", program.output), ("errors", program.errors)):
        flags = {b"<": os.O_RDONLY, b">": os.O_WRONLY | os.O_CREAT | os.O_TRUNC}.get(
            marked[:1], os.O_WRONLY | os.O_CREAT | os.O_APPEND
        )
        try:
            fd = 2 if marked == b"-" else os.open(marked[1:], flags | os.O_CLOEXEC | os.O_NOCTTY, 0o666)
        except OSError as error:
            ended.refused, ended.error = name, error.errno or 0
            break
        files.append(fd)
    return files


def _execute(program: Program, deadline_ns: int, spin_ns: int) -> Ended:
    """Run a program once; it stays unreaped in `_groups` unless it was refused."""
    ended = Ended()
    files = _open(program, ended)
    if not ended.refused:
        actions = [(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(files)]
        ignored_by_python = [signal.SIGPIPE, signal.SIGXFSZ]
        began = time.monotonic_ns()
        if spin_ns > 0:
            # The known cost cannot run in the child: it is spent here, and added to the child's CPU time.
            spin_from = time.thread_time_ns()
            while time.monotonic_ns() < began + spin_ns:
                pass
            ended.spin_cpu_ns = time.thread_time_ns() - spin_from
        try:
            ended.pid = os.posix_spawn(
                program.path, program.argv, _environment, file_actions=actions, setpgroup=0, setsigdef=ignored_by_python
            )
        except OSError as error:
            ended.refused, ended.error = "program", error.errno or 0
        else:
            _groups.append(ended.pid)
            _wait_for_end(began, deadline_ns, ended)
    for fd in files:
        if fd > 2:
            os.close(fd)
    return ended


def _wait_for_end(began: int, deadline_ns: int, ended: Ended) -> None:
    """Wait for the program's end, the deadline, or sectax's end, without reaping."""
    poll = select.poll()
    poll.register(_woken, select.POLLIN)
    poll.register(0, 0)
    while True:
        left = began + deadline_ns - time.monotonic_ns()
        if left <= 0:
            ended.late = True
            _kill(ended.pid)
            os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
            return
        ready = poll.poll(min(left / 1e6, _LONGEST_POLL_MS))
        ended.wall_ns = time.monotonic_ns() - began
        for fd, _ in ready:
            if fd == 0:
                _abandon()
            os.read(_woken, 512)
        result = os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if result is not None:
            ended.status = result.si_status << 8 if result.si_code == os.CLD_EXITED else result.si_status
            return


def _record(ended: Ended) -> str:
    usage = ended.usage
    assert isinstance(usage, tuple)
    user_us = round(usage[0] * 1e6) + ended.spin_cpu_ns // 1000
    figures = (ended.wall_ns, user_us, round(usage[1] * 1e6), usage[2], usage[14], usage[15], ended.status)
    return " " + ",".join(map(str, figures)) + f",{ended.left:d}"


def _stopped(slot: int, ended: Ended) -> str:
    if ended.refused:
        return f" refused:{slot}:{ended.refused}:{ended.error}"
    return f" late:{slot}" if ended.late else ""


def _prepare(slot: int, deadline_ns: int) -> tuple[int, str]:
    """Run a preparation, whose processes live until the execution has ended."""
    ended = _execute(_programs[slot], deadline_ns, 0)
    end = _stopped(slot, ended)
    if not end and ended.status:
        end = f" status:{slot}:{ended.status}"
    return ended.pid, end


def _conclude(slot: int, deadline_ns: int) -> str:
    """Run a conclusion; returns the reason to stop."""
    ended = _execute(_programs[slot], deadline_ns, 0)
    if ended.pid:
        _sweep(ended.pid, ended)
    end = _stopped(slot, ended)
    return end or (f" status:{slot}:{ended.status}" if ended.status else "")


def _run_once(before: str, slot: int, after: str, deadline_ns: int, spin_ns: int, *, strict: bool) -> tuple[str, bool]:
    """Returns a part of the reply, and whether to continue."""
    prepared, end = (0, "") if before == "-" else _prepare(int(before), deadline_ns)
    part, go_on = end, not end
    if go_on:
        ended = _execute(_programs[slot], deadline_ns, spin_ns)
        if ended.pid:
            _sweep(ended.pid, ended)
        end = _stopped(slot, ended)
        part, go_on = end or _record(ended), not end and not (strict and ended.status)
        if after != "-":
            end = _conclude(int(after), deadline_ns)
            # A failed execution has its own reason to stop.
            part, go_on = (part + end, not end) if go_on else (part, False)
    if prepared:
        _sweep(prepared, Ended())
    _sweep_inherited()
    return part, go_on


def _run(words: list[str]) -> str:
    _inherit()
    before, slot, after = words[0], int(words[1]), words[2]
    times, strict, deadline_ns, spin_ns = map(int, words[3:])
    reply = ["done"]
    for _ in range(times):
        part, go_on = _run_once(before, slot, after, deadline_ns, spin_ns, strict=bool(strict))
        reply.append(part)
        if not go_on:
            break
    return "".join(reply)


def _hello() -> str:
    readings = [time.monotonic_ns() for _ in range(_CLOCK_READINGS)]
    steps = {later - earlier for earlier, later in zip(readings, readings[1:], strict=False)}  # noqa: RUF007 - likewise
    return f"launcher 1 {min(steps - {0})} {(readings[-1] - readings[0]) // _CLOCK_READINGS}"


def _answer(request: str, words: list[str]) -> str | None:
    if request == "hello":
        return _hello()
    if request == "environment":
        for word in words:
            name, _, value = _text(word).partition(b"=")
            _environment[name] = value
        return None
    if request == "program":
        if not 0 <= int(words[0]) < _SLOTS:
            raise ValueError(words[0])
        _programs[int(words[0])] = Program(words[1:])
        return None
    if request == "run":
        return _run(words)
    raise ValueError(request)


def _main() -> None:
    os.set_blocking(_wake, False)
    os.set_blocking(_woken, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(_wake, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _abandon)
    gc.disable()
    for line in sys.stdin:
        request, *words = line.split()
        if request == "quit":
            return
        reply = _answer(request, words)
        if reply is not None:
            sys.stdout.write(reply + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    _main()
