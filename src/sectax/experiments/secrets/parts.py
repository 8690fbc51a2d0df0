"""What must be installed or built for the experiment, besides its functions: AWS's agent, and moto."""

from __future__ import annotations

from sectax.experiments.secrets import agent, moto
from sectax.model.errors import WrongUse
from sectax.parts.registry import Part, Say

AGENT, BACKEND = "secrets:agent", "secrets:backend"


def part(name: str) -> Part:
    """`secrets:agent` or `secrets:backend`."""
    if name == "agent":
        # Without it there is access that goes past a sidecar to be measured.
        about = f"{agent.CRATE} {agent.VERSION} from crates.io, some minutes"
        return Part("secrets-agent", agent.TITLE, agent.missing, agent.build, optional=True, about=about)
    if name == "backend":
        about = "moto and what it needs from PyPI"
        return Part("secrets-backend", "the stand-in for Secrets Manager", moto.missing, _install, about=about)
    raise WrongUse(f"there is no part 'secrets:{name}'", f"there are: {AGENT}, {BACKEND}")


def _install(say: Say) -> None:
    say("installing the stand-in for Secrets Manager (moto)")
    moto.install()
