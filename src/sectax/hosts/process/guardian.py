"""Kills child processes when sectax itself is killed by SIGKILL.

Children that follow the probe protocol exit at the end of their stdin. For the others there is one small shell per
sectax process, which waits at the end of a pipe, and kills the watched process groups when the kernel closes the pipe.

PR_SET_PDEATHSIG is no alternative: it needs code between fork and exec, reaches only the child itself, and fires when
the starting *thread* ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import threading

# The guardian ignores signals that a terminal or supervisor sends to all processes.
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
    """The shell that waits for the end of this process; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shell: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._groups: set[int] = set()

    def prepare(self) -> None:
        """Start the shell, so that the next group is watched without delay."""
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
        """Stop watching a group; call it before the leader is reaped."""
        with self._lock:
            if group in self._groups and self._owner == os.getpid():
                self._groups.discard(group)
                self._send(f"release {group}\n")

    def dismiss(self) -> None:
        """End the shell, which kills groups that are still watched."""
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
        except OSError:  # no shell yet, or it was killed
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
        # Without a shell (in a minimal container), children only notice the end of stdin.
        with contextlib.suppress(OSError):
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                start_new_session=True,  # no Ctrl-C from the terminal
            )
            for group in self._groups:
                self._write(f"watch {group}\n")


GUARDIAN = Guardian()
atexit.register(GUARDIAN.dismiss)
