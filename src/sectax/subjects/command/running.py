"""A launcher that runs: carries requests to it and its answers back, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping

from sectax.sandboxes.hosts import Host
from sectax.sandboxes.process.errors import ChildError
from sectax.subjects.command import requests
from sectax.subjects.command.launchers import Launcher
from sectax.subjects.command.requests import Clock, Done

# What a launcher may take beyond the programs that it runs: to start, to answer, to kill what is left.
_GRACE_S = 10.0


class RunningLauncher:
    """One launcher process. Every method but `kill` may raise `ChildError`, and `ValueError` for a word with a NUL."""

    def __init__(self, host: Host, launcher: Launcher, cwd: str | None, env: Mapping[str, str]) -> None:
        # It alone knows the groups of its programs, and kills them when its stdin ends.
        self.child = host.start(launcher.argv, cwd=cwd, ends_itself=True)
        try:
            self._tell(requests.hello() + requests.environment(env))
        except BaseException:
            self.kill()
            raise

    def clock(self) -> Clock:
        """Read the greeting; to be called once, before anything else is asked."""
        return requests.read_hello(self.child.receive_line(time.monotonic() + _GRACE_S))

    def define(self, definition: bytes) -> None:
        self._tell(definition)

    def run(
        self,
        slot: int,
        times: int = 1,
        *,
        prepare: int | None = None,
        strict: bool = True,
        deadline_s: float,
        spin_s: float = 0.0,
    ) -> Done:
        longest_s = times * (deadline_s + spin_s) * (1 if prepare is None else 2)
        request = requests.run(prepare, slot, times, strict=strict, deadline_s=deadline_s, spin_s=spin_s)
        return self._ask(request, longest_s)

    def hook(self, slot: int, deadline_s: float) -> Done:
        return self._ask(requests.hook(slot, deadline_s), deadline_s)

    def quit(self) -> None:
        """Have it end of itself, and wait until it has."""
        self._tell(requests.quit_())
        self.child.wait(time.monotonic() + _GRACE_S)

    def kill(self) -> None:
        """End the launcher and all that it started; never raises."""
        with contextlib.suppress(OSError, ChildError):
            self.child.close(grace=_GRACE_S)

    def _ask(self, request: bytes, longest_s: float) -> Done:
        self._tell(request)
        return requests.read_done(self.child.receive_line(time.monotonic() + longest_s + _GRACE_S))

    def _tell(self, request: bytes) -> None:
        self.child.send(request, time.monotonic() + _GRACE_S)
