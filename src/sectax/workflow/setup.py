"""Installs what experiments need; one that cannot be installed does not stop the others."""

from __future__ import annotations

from collections.abc import Callable

from sectax.experiments import registry
from sectax.toolchain import probes
from sectax.toolchain.setup import set_up as set_up_probe


def set_up(experiments: tuple[str, ...], say: Callable[[str], None]) -> list[probes.SetUpFailed]:
    """Set up the probes of the experiments named, or of all.

    Returns:
        What could not be set up, with the command that a person must run.
    """
    wanted: dict[str, None] = {}
    for name in experiments or registry.names():
        wanted.update(dict.fromkeys(registry.load(name).requirements()))
    failures: list[probes.SetUpFailed] = []
    for name in wanted:
        probe = probes.load(name)
        try:
            set_up_probe(probe, say)
        except probes.SetUpFailed as failure:
            failures.append(failure)
        else:
            say(f"probe {name} is ready")
    return failures
