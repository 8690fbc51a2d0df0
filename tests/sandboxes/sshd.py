"""A real sshd on loopback, with keys made for one test."""

from __future__ import annotations

import contextlib
import getpass
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SSHD = Path("/usr/sbin/sshd")


@dataclass
class Server:
    """What runs; `config` is for the client."""

    name: str
    port: int
    config: Path
    known_hosts: Path
    log: Path


def key(path: Path) -> str:
    """Make a key; returns its public part."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return path.with_name(f"{path.name}.pub").read_text()


@contextlib.contextmanager
def running(folder: Path, *, passwords: bool = False) -> Iterator[Server]:
    folder.mkdir(parents=True, exist_ok=True)
    Path("/run/sshd").mkdir(exist_ok=True)
    public, client = key(folder / "host"), key(folder / "client")
    (folder / "authorized").write_text("" if passwords else client)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    lines = [
        f"HostKey {folder}/host",
        f"AuthorizedKeysFile {folder}/authorized",
        f"ListenAddress 127.0.0.1:{port}",
        f"PasswordAuthentication {'yes' if passwords else 'no'}",
        "StrictModes no",
        "UsePAM no",
        "PidFile none",
        "PermitRootLogin yes",
    ]
    (folder / "sshd_config").write_text("\n".join(lines) + "\n")
    known, config, log = folder / "known_hosts", folder / "ssh_config", folder / "log"
    known.write_text(f"[127.0.0.1]:{port} {public}")
    config.write_text(f"UserKnownHostsFile {known}\nGlobalKnownHostsFile none\nIdentityFile {folder}/client\n")
    with log.open("wb") as written:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", folder / "sshd_config"], stderr=written)
    try:
        _wait(port)
        yield Server(f"ssh://{getpass.getuser()}@127.0.0.1:{port}", port, config, known, log)
    finally:
        process.kill()
        process.wait()


def _wait(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("sshd did not come up")
