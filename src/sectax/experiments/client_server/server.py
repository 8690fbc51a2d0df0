"""What servers of a run have in common: how one fails, its certificate on loopback, a free port, its CPU time."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sectax.hosts.process.child import Child
from sectax.hosts.registry import host
from sectax.model.errors import ExitStatus, SessionOver
from sectax.text.printable import printable

# Child's pipes would fill up, since nobody asks a server anything: what it says goes into a file.
_TO_LOG = 'log=$1; shift; exec "$@" >>"$log" 2>&1 </dev/null'
_LAST_WORDS = 300  # characters


class ServerFailed(SessionOver):
    """The server did not start, or ended while it was needed."""

    exit_status = ExitStatus.NOTHING_MEASURED


# TLS clients refuse what is valid for longer than some years, and a clock may be a little behind.
_VALID = datetime.timedelta(days=30)
_BEFORE = datetime.timedelta(hours=1)


def loopback_certificate() -> tuple[str, str]:
    """A self-signed certificate for 127.0.0.1 and localhost, and its private key, both as PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sectax local server")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), private.decode()


def start_server(argv: Sequence[str], log: Path, env: Mapping[str, str], cwd: str | None = None) -> Child:
    """Start a server of the run's own, in a process group that ends with sectax. Raises `ChildError`.

    Args: its whole environment is *env*; what it prints is added to *log*.
    """
    return host().start(["/bin/sh", "-c", _TO_LOG, "server", str(log), *argv], env=env, cwd=cwd)


def log_tail(log: Path, secrets: Iterable[str] = (), most: int = _LAST_WORDS) -> str:
    """The end of a server's log, without these secrets, to be put behind a message; empty where there is nothing."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return ""
    for secret in secrets:
        text = text.replace(secret, "…")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"; it said last: {printable(' '.join(lines)[-most:])}" if lines else ""


def free_port() -> int:
    """A port on loopback that nobody listens on now; another program may take it before the server does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def cpu_time_s(pid: int) -> float | None:
    """CPU time of a process up to now, in seconds; None once it has ended."""
    try:
        # The clock of another process's CPU time, as clock_getcpuclockid(3) makes it.
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return None
