"""The environment of a session: this machine and the software of the run's subjects, and what may not change."""

from __future__ import annotations

from importlib.metadata import version

from sectax import __version__
from sectax.experiments.interface import Bench
from sectax.model.environment import Environment
from sectax.model.errors import WrongUse
from sectax.sandboxes.process.host import host_circumstances, host_identity

# What decides about the figures on our own side.
_OWN_LIBRARIES = ("numpy", "scipy", "msgspec", "cryptography", "pycryptodome")


def take_environment(bench: Bench) -> Environment:
    """Read this machine and the software of this run's subjects."""
    own = {"sectax": __version__} | {f"sectax.{name}": version(name) for name in _OWN_LIBRARIES}
    return Environment(host_identity() | own | bench.identity(), host_circumstances())


def refuse_change(before: Environment, now: Environment) -> None:
    """Raise `WrongUse` where blocks of both sessions would not belong to one run."""
    changed = [
        f"  {name}: {before.identity.get(name, 'not there')} then, {now.identity.get(name, 'not there')} now"
        for name in sorted(before.identity.keys() | now.identity.keys())
        if before.identity.get(name) != now.identity.get(name)
    ]
    if changed:
        raise WrongUse(
            "\n".join(["the environment has changed since the run began:", *changed]),
            "what was measured stays readable (sectax show); start a new run for the new environment",
        )
