"""The environment of a session: its hosts and the software of the run's subjects, and what may not change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import version

from sectax import __version__
from sectax.experiments.interface import Bench
from sectax.model.environment import COMMAND_LINE, LOCAL_HOST, Environment
from sectax.model.errors import NothingMeasured, WrongUse
from sectax.sandboxes.hosts import host
from sectax.sandboxes.process.errors import ChildError

# What decides about the figures on our own side.
_OWN_LIBRARIES = ("numpy", "scipy", "msgspec", "cryptography", "pycryptodome")


def take_environment(bench: Bench, command_line: str = "") -> Environment:
    """Read this machine, the other hosts of the plan and the software of this run's subjects."""
    own = {"sectax": __version__} | {f"sectax.{name}": version(name) for name in _OWN_LIBRARIES}
    here = host()
    identity = here.identity() | own | bench.identity()
    called = {COMMAND_LINE: command_line} if command_line else {}
    others = of_hosts(bench.plan.hosts)
    told = bench.circumstances()
    return Environment(
        identity,
        here.circumstances() | called | told.get(LOCAL_HOST, {}),
        {
            name: replace(other, circumstances=other.circumstances | told.get(name, {}))
            for name, other in others.items()
        },
    )


def of_hosts(names: Iterable[str]) -> dict[str, Environment]:
    """Read other hosts than this machine, by their names.

    Raises:
        NothingMeasured: one of them cannot be reached.
    """
    try:
        return {name: Environment(host(name).identity(), host(name).circumstances()) for name in names}
    except ChildError as error:
        raise NothingMeasured(
            f"a host of this run cannot be reached: {error}", "make it reachable, then try again"
        ) from error


def refuse_change(before: Environment, now: Environment) -> None:
    """Raise `WrongUse` where blocks of both sessions would not belong to one run."""
    then_was, now_is = before.whole_identity(), now.whole_identity()
    changed = [
        f"  {name}: {then_was.get(name, 'not there')} then, {now_is.get(name, 'not there')} now"
        for name in sorted(then_was.keys() | now_is.keys())
        if then_was.get(name) != now_is.get(name)
    ]
    if changed:
        raise WrongUse(
            "\n".join(["the environment has changed since the run began:", *changed]),
            "what was measured stays readable (sectax show); start a new run for the new environment",
        )
