"""Kills what sectax leaves behind when sectax itself is killed.

A process that is killed by SIGKILL cannot clean up after itself. Children that keep to the probe protocol notice the
end of their stdin and exit; the guardian is there for the others. It is one small shell per sectax process, idle at
the end of a pipe: when sectax dies, the kernel closes the pipe, and the guardian kills the process groups that it was
told of.

PR_SET_PDEATHSIG would need code between fork and exec (`preexec_fn`, which forbids vfork and is unsafe with threads)
or a program in front of every child, reaches only the child and not what the child started, and fires when the
*thread* that started the child ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import threading

# Signals that a terminal or a supervisor sends to everyone must not end the guardian before its work.
_SCRIPT = """
trap '' HUP INT QUIT TERM
watched=' '
while read -r verb group; do
  case $verb in
    watch) watched="$watched$group " ;;
    release)
      kept=' '
      for member in $watched; do [ "$member" = "$group" ] || kept="$kept$member "; done
      watched=$kept ;;
  esac
done
for member in $watched; do kill -s KILL -- "-$member"; done
"""


class Guardian:
    """The shell that waits for the end of this process. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shell: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._groups: set[int] = set()

    def prepare(self) -> None:
        """Start the shell, so that a group which is started next goes unwatched for no longer than one write takes."""
        with self._lock:
            self._own()
            if self._shell is None:
                self._restart()

    def watch(self, group: int) -> None:
        with self._lock:
            self._own()
            self._groups.add(group)
            self._send(f"watch {group}\n")

    def release(self, group: int) -> None:
        """Forget a group. Call it before the leader is reaped, while its number cannot be given to another."""
        with self._lock:
            if group in self._groups and self._owner == os.getpid():
                self._groups.discard(group)
                self._send(f"release {group}\n")

    def dismiss(self) -> None:
        """Let the shell go; it kills what is still watched."""
        with self._lock:
            shell, self._shell = self._shell, None
            if shell is not None and self._owner == os.getpid():
                with contextlib.suppress(OSError):
                    shell.communicate()

    def _own(self) -> None:
        if self._owner != os.getpid():  # never started, or inherited through a fork
            self._shell, self._owner, self._groups = None, os.getpid(), set()

    def _send(self, line: str) -> None:
        try:
            self._write(line)
        except OSError:  # no shell yet, or someone ended it
            self._restart()

    def _write(self, line: str) -> None:
        if self._shell is None or self._shell.stdin is None:
            raise BrokenPipeError
        self._shell.stdin.write(line.encode())

    def _restart(self) -> None:
        if self._shell is not None:
            with contextlib.suppress(OSError):
                self._shell.communicate()
        self._shell = None
        # Where there is no shell (a bare container) only the end of stdin tells the children.
        with contextlib.suppress(OSError):
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                start_new_session=True,  # Ctrl-C on the terminal is not for it
            )
            for group in self._groups:
                self._write(f"watch {group}\n")


GUARDIAN = Guardian()
atexit.register(GUARDIAN.dismiss)
