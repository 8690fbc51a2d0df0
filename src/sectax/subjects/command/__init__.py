"""Whole commands as subjects: what they cost in wall time, CPU time and memory, each execution a fresh process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sectax.subjects.command.command import INHERIT, NULL, Command

if TYPE_CHECKING:
    from sectax.subjects.command.subject import CommandSubject

__all__ = ["INHERIT", "NULL", "CommandSpec"]

# What starts processes is imported when one is started: `sectax list` only asks which experiments there are.


@dataclass(frozen=True)
class CommandSpec(Command):
    """A command that is to be measured. Its attributes are those of `Command`."""

    def subject(self) -> CommandSubject:
        from sectax.subjects.command.subject import CommandSubject

        return CommandSubject(self)
