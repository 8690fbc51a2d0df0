"""What is known of the gaps between a subject's operations before it has run."""

from __future__ import annotations

from sectax.experiments.command.subject import CommandSpec
from sectax.experiments.on_lambda import AWS
from sectax.experiments.on_lambda.services import LambdaService
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.model.subject import gap_s


def test_a_function_waits_before_each_event_and_a_command_never() -> None:
    spaced = FunctionSpec("f", "f.zip", "python3.12", "f.handler", gap_s=0.05, service=LambdaService(AWS))

    assert gap_s(spaced) == 0.05
    assert gap_s(CommandSpec("true", ("true",))) == 0.0
