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
_MOST_PORTS = 16  # that one sshd listens on


@dataclass
class Server:
    """What runs; `config` is for the client, and `names` are all of its ports, which a client takes for hosts."""

    name: str
    names: tuple[str, ...]
    port: int
    config: Path
    known_hosts: Path
    log: Path


def key(path: Path) -> str:
    """Make a key; returns its public part."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return path.with_name(f"{path.name}.pub").read_text()


@contextlib.contextmanager
def running(folder: Path, *, passwords: bool = False, hosts: int = 1, path: str = "") -> Iterator[Server]:
    folder.mkdir(parents=True, exist_ok=True)
    Path("/run/sshd").mkdir(exist_ok=True)
    public, client = key(folder / "host"), key(folder / "client")
    (folder / "authorized").write_text("" if passwords else client)
    ports = free_ports(hosts)
    port = ports[0]
    settings = [
        f"HostKey {folder}/host",
        f"AuthorizedKeysFile {folder}/authorized",
        f"PasswordAuthentication {'yes' if passwords else 'no'}",
        "StrictModes no",
        "UsePAM no",
        "PidFile none",
        "PermitRootLogin yes",
        "MaxStartups 100",
        *([f"SetEnv PATH={path}"] if path else []),
    ]
    known, config, log = folder / "known_hosts", folder / "ssh_config", folder / "log"
    known.write_text("".join(f"[127.0.0.1]:{port} {public}" for port in ports))
    config.write_text(f"UserKnownHostsFile {known}\nGlobalKnownHostsFile none\nIdentityFile {folder}/client\n")
    names = tuple(f"ssh://{getpass.getuser()}@127.0.0.1:{port}" for port in ports)
    with log.open("wb") as written, contextlib.ExitStack() as stack:
        for start in range(0, hosts, _MOST_PORTS):
            own = ports[start : start + _MOST_PORTS]
            file = folder / f"sshd_config_{start}"
            file.write_text("\n".join([*settings, *(f"ListenAddress 127.0.0.1:{value}" for value in own)]) + "\n")
            process = subprocess.Popen([SSHD, "-D", "-e", "-f", file], stderr=written)
            stack.callback(process.wait)
            stack.callback(process.kill)
            _wait(own[-1])
        yield Server(names[0], names, port, config, known, log)


def free_ports(number: int) -> list[int]:
    """Ports of loopback that nobody listens on, all different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [socket.getsockname()[1] for socket in sockets]


def _wait(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("sshd did not come up")
