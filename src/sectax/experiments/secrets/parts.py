"""Parts that must be installed or built: AWS's agent and moto."""

from __future__ import annotations

from sectax.experiments.secrets import agent, moto
from sectax.model.errors import WrongUse
from sectax.parts.registry import Part, Say

AGENT, BACKEND = "secrets:agent", "secrets:backend"


def part(name: str) -> Part:
    """Return the part `secrets:agent` or `secrets:backend`."""
    if name == "agent":
        # Optional: accesses without a sidecar do not need it.
        about = f"{agent.CRATE} {agent.VERSION} from crates.io, some minutes"
        return Part("secrets-agent", agent.TITLE, agent.missing, agent.build, optional=True, about=about)
    if name == "backend":
        about = "moto and its dependencies from PyPI"
        return Part("secrets-backend", "the stand-in for Secrets Manager", moto.missing, _install, about=about)
    raise WrongUse(f"there is no part 'secrets:{name}'", f"available: {AGENT}, {BACKEND}")


def _install(say: Say) -> None:
    say("installing the stand-in for Secrets Manager (moto)")
    moto.install()
