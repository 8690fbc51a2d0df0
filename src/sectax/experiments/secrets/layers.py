"""The layers that functions are given: the certificate that they trust, and AWS's agent with what begins it."""

from __future__ import annotations

import shutil
from pathlib import Path

from sectax.experiments.secrets import agent

_EXTENSION = Path(__file__).with_name("extension")
NAME = "secrets-agent"
DEFAULT_TTL_S = 300  # of the agent itself
# Where a function finds the certificate; variables name it to its clients.
CERTIFICATE = "/opt/etc/secrets-manager.pem"


def trust(folder: Path, certificate: str) -> str:
    """The layer with the backend's certificate, made in *folder*: its path."""
    place = folder / "trust"
    (place / "etc").mkdir(parents=True)
    (place / "etc" / Path(CERTIFICATE).name).write_text(certificate)
    return str(place)


def sidecar(folder: Path, ttl_s: int = DEFAULT_TTL_S) -> str:
    """The layer with AWS's agent as an external extension, as a zip made in *folder*: its path.

    Args:
        ttl_s: whole seconds for which the agent uses what it has fetched.
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
    archive = shutil.make_archive(str(place), "zip", place)  # packed once, and not for every instance
    shutil.rmtree(place)
    return archive
