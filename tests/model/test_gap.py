"""What is known of the gaps between a subject's operations before it has run."""

from __future__ import annotations

from sectax.model.subject import gap_s
from sectax.subjects.command.subject import CommandSpec
from sectax.subjects.function import AWS
from sectax.subjects.function.services import Service
from sectax.subjects.function.subject import FunctionSpec


def test_a_function_waits_before_each_event_and_a_command_never() -> None:
    spaced = FunctionSpec("f", "f.zip", "python3.12", "f.handler", gap_s=0.05, service=Service(AWS))

    assert gap_s(spaced) == 0.05
    assert gap_s(CommandSpec("true", ("true",))) == 0.0
