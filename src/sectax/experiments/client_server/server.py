"""What servers of a run have in common: how one fails, its certificate on loopback, a free port, its CPU time."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import time

from sectax.model.errors import ExitStatus, SessionOver


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
