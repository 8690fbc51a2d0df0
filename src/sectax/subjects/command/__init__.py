"""Whole commands as subjects: what they cost in wall time, CPU time and memory, each execution a fresh process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sectax.subjects.command.command import INHERIT, NULL, Command

if TYPE_CHECKING:
    from sectax.subjects.command.subject import CommandSubject

__all__ = ["INHERIT", "NULL", "CommandSpec", "run_hook"]

# What starts processes is imported when one is started: `sectax list` only asks which experiments there are.


@dataclass(frozen=True)
class CommandSpec(Command):
    """A command that is to be measured. Its attributes are those of `Command`."""

    def subject(self) -> CommandSubject:
        from sectax.subjects.command.subject import CommandSubject

        return CommandSubject(self)


def run_hook(
    argv: Sequence[str], deadline_s: float, *, cwd: str | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run a command once, before or after a session. Raises `HookFailed`. See `sectax.subjects.command.hook`."""
    from sectax.subjects.command import hook

    hook.run_hook(argv, deadline_s, cwd=cwd, env=env)
