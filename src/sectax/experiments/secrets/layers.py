"""Layers of the functions: the trusted certificate, and AWS's agent."""

from __future__ import annotations

import shutil
from pathlib import Path

from sectax.experiments.secrets import agent

_EXTENSION = Path(__file__).with_name("extension")
NAME = "secrets-agent"
DEFAULT_TTL_S = 300  # the agent's own
# Path of the certificate in an instance, for environment variables.
CERTIFICATE = "/opt/etc/secrets-manager.pem"


def trust(folder: Path, certificate: str) -> str:
    """Create the layer with the backend's certificate in *folder*; return its path."""
    place = folder / "trust"
    (place / "etc").mkdir(parents=True)
    (place / "etc" / Path(CERTIFICATE).name).write_text(certificate)
    return str(place)


def sidecar(folder: Path, ttl_s: int = DEFAULT_TTL_S) -> str:
    """Create the zip of the layer with AWS's agent; return its path.

    Args:
        ttl_s: the agent's TTL in whole seconds.
    Raises:
        SetUpFailed: the agent is not built.
    """
    place = folder / f"sidecar-{ttl_s}"
    for name in ("bin", "etc", "extensions"):
        (place / name).mkdir(parents=True)
    shutil.copy(agent.program(), place / "bin")
    shutil.copy(_EXTENSION / NAME, place / "extensions")
    (place / "extensions" / NAME).chmod(0o755)
    settings = (_EXTENSION / f"{NAME}.toml").read_text()
    (place / "etc" / f"{NAME}.toml").write_text(f"{settings}ttl_seconds = {ttl_s}\n")
    archive = shutil.make_archive(str(place), "zip", place)  # packed once, not per instance
    shutil.rmtree(place)
    return archive
