"""A child process with line-based communication over pipes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from sectax.hosts.process.cgroups import MemoryKills
from sectax.hosts.process.errors import ChildDied, ChildFlooded, ChildNotStarted, ChildSilent
from sectax.hosts.process.guardian import GUARDIAN
from sectax.text.masking import masked

LINE_LIMIT = 16 * 1024 * 1024  # bytes of a line
STDERR_TAIL = 8 * 1024  # bytes of stderr that are kept

_CHUNK = 64 * 1024  # a pipe's capacity
# A program's pipes close shortly before its exit status is available.
_EXIT_FOLLOWS_S = 0.25
# Polling interval for the exit without a pidfd.
_LOOK_EVERY_S = 0.005
# Limit of stderr read after the end; other processes may still write to it.
_LAST_STDERR = 64 * _CHUNK


class StartOptions(TypedDict, total=False):
    """Options to start a program on any host.

    Attributes:
        cwd: working directory; None for the current one.
        env: its whole environment; None for sectax's.
        line_limit: maximum bytes of a line (`LINE_LIMIT`).
        ends_itself: whether it ends itself and its process groups at the end of stdin, instead of being watched by the
            guardian; if it is killed, its whole session is killed too.
    """

    cwd: str | Path | None
    env: Mapping[str, str] | None
    line_limit: int
    ends_itself: bool


class Child:
    """A running program in its own process group and session, with pipes.

    stderr is read while waiting for the child, so that it does not block. Leaving the context, `close` and `kill` end
    the whole process group, as does the guardian if sectax is killed; descendants in other sessions escape.

    Deadlines are times of `time.monotonic()`. A child belongs to one thread at a time, and is created by a host only
    (`sectax.hosts.registry`).
    """

    def __init__(self, argv: Sequence[str], **how: Unpack[StartOptions]) -> None:
        """Start a program, without a shell. Raises `ChildNotStarted`."""
        cwd = how.get("cwd")
        if not argv:
            raise ChildNotStarted("(nothing)", "there is no command")
        self._ends_itself = how.get("ends_itself", False)
        if not self._ends_itself:
            GUARDIAN.prepare()
        try:
            self._process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=how.get("env"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL in a word
            raise ChildNotStarted(argv[0], _reason(error, cwd)) from error
        self.pid = self._process.pid
        self._ended = False  # reaped, so the PID is invalid
        self._killed = False  # by us
        self._exit_seen = False
        if not self._ends_itself:
            GUARDIAN.watch(self.pid)
        self._memory_kills = MemoryKills(self.pid)
        self._line_limit = how.get("line_limit", LINE_LIMIT)
        self._buffer = bytearray()
        self._searched = 0  # bytes of the buffer without a line break
        self._stderr = bytearray()
        self._open_pipes()

    def _open_pipes(self) -> None:
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._stdin, self._stdout, self._stderr_fd = (pipe.fileno() if pipe else -1 for pipe in pipes)
        for fd in (self._stdin, self._stdout, self._stderr_fd):
            os.set_blocking(fd, False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr_fd, select.POLLIN)
        self._stdout_open = True
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except OSError:  # Linux before 5.3, some sandboxes
            self._pidfd = -1
        else:
            self._poll.register(self._pidfd, select.POLLIN)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def stderr_tail(self) -> bytes:
        """The last 8 KiB of stderr, with secrets masked."""
        return masked(bytes(self._stderr))

    @property
    def saw_memory_kill(self) -> bool:
        """Whether the kernel killed any process for lack of memory since the start."""
        return self._memory_kills.have_grown()

    @property
    def has_ended(self) -> bool:
        """Whether it was waited for or killed."""
        return self._ended

    def is_running(self) -> bool:
        return not self._has_exited()

    @property
    def unread(self) -> bytes:
        """Buffered stdout."""
        return bytes(self._buffer)

    def send(self, line: bytes, deadline: float) -> None:
        """Write to the child's stdin.

        Raises:
            ChildSilent: not read in time.
            ChildDied: stdin was closed, or the child ended.
        """
        began = time.monotonic()
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                self._wait_for_room(began, deadline)
            except OSError as error:  # EPIPE; EBADF after kill
                raise self._died() from error

    def receive_line(self, deadline: float) -> bytes:
        """Read the next line of stdout, with its line break.

        Raises:
            ChildSilent: no complete line in time.
            ChildDied: stdout was closed, or the child ended.
            ChildFlooded: the line is too long.
        """
        began = time.monotonic()
        while True:
            line = self._take_line()
            if line is not None:
                return line
            if len(self._buffer) > self._line_limit:
                raise ChildFlooded(len(self._buffer), self.stderr_tail)
            # Read the remaining output before reporting the end.
            if not self._stdout_open or (self._exit_seen and not self._read_stdout()):
                raise self._died()
            if not self._exit_seen:
                try:
                    self._wait(began, deadline)
                except ChildSilent:
                    # The line may have arrived in time while sectax was stopped.
                    if not self._read_stdout():
                        raise

    def wait(self, deadline: float) -> int:
        """Wait for the child's end; returns the exit status or negative signal.

        Raises:
            ChildSilent: still running at the deadline.
        """
        began = time.monotonic()
        while not self._has_exited():
            self._buffer.clear()
            self._searched = 0
            # Without a pidfd, poll for the end.
            look = time.monotonic() + _LOOK_EVERY_S
            if self._pidfd >= 0 or look >= deadline:
                self._wait(began, deadline)
            else:
                with contextlib.suppress(ChildSilent):
                    self._wait(began, look)
        self._read_last_stderr()
        return self._end()

    def close_stdin(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
            self._stdin = -1

    def close(self, grace: float) -> int:
        """Close stdin, wait *grace* seconds, kill the group; the status as `wait`."""
        if not self._ended:
            self.close_stdin()
            with contextlib.suppress(ChildSilent):
                return self.wait(time.monotonic() + grace)
        self.kill()
        return self._process.returncode

    def kill(self) -> None:
        """Kill the whole process group; may be called again, never raises."""
        if not self._ended:
            self._killed = True
            self._end()

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            return None
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _wait_for_room(self, began: float, deadline: float) -> None:
        """Wait until stdin is writable, reading output meanwhile to avoid a deadlock."""
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            self._wait(began, deadline)
        finally:
            self._poll.unregister(self._stdin)
        if self._exit_seen:
            raise self._died()

    def _wait(self, began: float, deadline: float) -> None:
        """Wait for any event, and read available output."""
        now = time.monotonic()
        if now >= deadline:
            if self._has_exited():  # another process has the pipes open
                self._exit_seen = True
                return
            raise ChildSilent(deadline - began, self.stderr_tail)
        # poll rounds up to whole milliseconds, so it never returns just before the deadline.
        for fd, _ in self._poll.poll((deadline - now) * 1000):
            if fd == self._stdout:
                self._read_stdout()
            elif fd == self._stderr_fd:
                self._read_stderr()
            elif fd == self._pidfd:
                self._exit_seen = True
                self._poll.unregister(fd)

    def _read_stdout(self) -> bool:
        if not self._stdout_open:
            return False
        try:
            chunk = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # killed from another thread
            chunk = b""
        if chunk:
            self._buffer += chunk
            return True
        self._stdout_open = False
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._stdout)
        return False

    def _read_stderr(self) -> int:
        try:
            chunk = os.read(self._stderr_fd, _CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            chunk = b""
        if chunk:
            self._stderr += chunk
            del self._stderr[:-STDERR_TAIL]
        else:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._stderr_fd)
        return len(chunk)

    def _read_last_stderr(self) -> None:
        limit = _LAST_STDERR
        while limit > 0 and (size := self._read_stderr()) > 0:
            limit -= size

    def _died(self) -> ChildDied:
        """End a child that closed a pipe, and explain its exit."""
        if not self._ended:
            with contextlib.suppress(ChildSilent):
                self.wait(time.monotonic() + _EXIT_FOLLOWS_S)
        if not self._ended:
            self._read_last_stderr()
            return ChildDied(None, out_of_memory=False, stderr_tail=self.stderr_tail)
        status = self._process.returncode
        # A shell reports 137 for a killed program.
        by_sigkill = status in (-signal.SIGKILL, 128 + signal.SIGKILL) and not self._killed
        return ChildDied(status, out_of_memory=by_sigkill and self.saw_memory_kill, stderr_tail=self.stderr_tail)

    def _has_exited(self) -> bool:
        """Whether the program has ended, without reaping it."""
        if self._ended:
            return True
        with contextlib.suppress(ChildProcessError):
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return True

    def _end(self) -> int:
        """Kill the process group before its leader's ID can be reused."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            GUARDIAN.release(self.pid)
        status = self._process.wait()
        if not self._ended:
            self._ended = True
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                if pipe is not None:
                    pipe.close()
            if self._pidfd >= 0:
                os.close(self._pidfd)
                self._pidfd = -1
            self._stdin = self._stdout = self._stderr_fd = -1
            self._stdout_open = False
            if self._ends_itself and status < 0:
                _kill_session(self.pid)
        return status


def _kill_session(session: int) -> None:
    """Kill all processes of a session whose leader has ended."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = (folder / "stat").read_bytes()
            # After the name in parentheses: state ppid pgrp session (proc_pid_stat(5))
            if int(stat[stat.rindex(b")") + 1 :].split()[3]) == session:
                os.kill(int(folder.name), signal.SIGKILL)


def _reason(error: OSError | ValueError, cwd: str | Path | None) -> str:
    if isinstance(error, FileNotFoundError):
        folder_missing = cwd is not None and not Path(cwd).is_dir()
        return f"there is no folder {cwd}" if folder_missing else "command not found"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
