"""Factors, levels, setups and metrics of the experiment, and their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

from sectax.experiments.interface import Option
from sectax.experiments.levels import choose, option_seconds
from sectax.model.metric import Better, Metric, Summary
from sectax.model.subject import Witness
from sectax.model.treatment import Factor

NO_TLS, TLS12, TLS13 = "none", "tls12", "tls13"
NONE, MTLS = "none", "mtls"
OFF, ON = "off", "on"
GO, RUSTLS, OPENSSL = "go", "rustls", "openssl"
ML_DSA = "ML-DSA-44"
DIRECT, INTERMEDIATE = "direct", "intermediate"

LIBRARY = Factor("library", (GO, RUSTLS, OPENSSL))
# The factors of a setup.
SETUP_FACTORS = (
    Factor("protocol", (NO_TLS, TLS12, TLS13)),
    Factor("group", ("X25519", "P-256", "X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024")),
    Factor("certificate", ("P-256", "RSA-2048", "Ed25519", ML_DSA)),
    Factor("client_certificate", (NONE, MTLS)),
    Factor("resumption", (OFF, ON)),
    Factor("chain", (DIRECT, INTERMEDIATE)),
)
FACTORS = (LIBRARY, *SETUP_FACTORS)
CONTROL = "setup"
CIPHER = "AES-128-GCM"


@dataclass(frozen=True)
class Setup:
    """The parameters of a connection; fields are named as the factors."""

    protocol: str = TLS13
    group: str = "X25519"
    certificate: str = "P-256"
    client_certificate: str = NONE
    resumption: str = OFF
    chain: str = DIRECT

    @property
    def name(self) -> str:
        if self.protocol == NO_TLS:
            return "no-TLS"
        words = [_TITLES[self.protocol], self.group, self.certificate]
        words += ["mTLS"] if self.client_certificate == MTLS else []
        words += ["resumed"] if self.resumption == ON else []
        return "+".join([*words, self.chain] if self.chain != DIRECT else words)

    @property
    def is_tls(self) -> bool:
        return self.protocol != NO_TLS

    @property
    def issued(self) -> str:
        """Kind and chain of its certificates."""
        return f"{self.certificate}+{self.chain}"

    @property
    def agrees_on_keys(self) -> bool:
        """Whether there is a key exchange; TLS 1.2 resumes sessions without one."""
        return self.is_tls and not (self.protocol == TLS12 and self.resumption == ON)

    def declares(self, library: str) -> dict[str, Witness]:
        """Witnesses that both ends and the bytes on the wire must confirm."""
        promised: dict[str, Witness] = {"protocol": self.protocol, "library": library}
        if not self.is_tls:
            return promised
        promised |= {"cipher": CIPHER, "certificate": self.certificate}
        if self.resumption == OFF:  # a resumed session sends no certificates
            promised["chain"] = 2 if self.chain == INTERMEDIATE else 1
        promised |= {"client_certificate": self.client_certificate, "resumed": self.resumption == ON}
        if self.agrees_on_keys:
            promised |= {"group": self.group, "group_on_wire": self.group, "key_share_bytes": shares(self.group)}
            promised["hello_retry"] = False  # it would cost another round trip
        return promised


# Library names in `hello`, and their levels.
LIBRARY_LEVELS = {"crypto/tls": GO, "rustls": RUSTLS, "OpenSSL": OPENSSL}
# Key share bytes, up and down: RFC 8446, 4.2.8, and draft-ietf-tls-ecdhe-mlkem, 3.
SHARES = {
    "X25519": (32, 32),
    "P-256": (65, 65),
    "X25519MLKEM768": (1184 + 32, 1088 + 32),
    "SecP256r1MLKEM768": (65 + 1184, 65 + 1088),
    "SecP384r1MLKEM1024": (97 + 1568, 97 + 1568),
}
_TITLES = {NO_TLS: "no-TLS", TLS12: "TLS1.2", TLS13: "TLS1.3"}


def shares(group: str) -> str:
    """A group's share sizes, as in the witness `key_share_bytes`."""
    up, down = SHARES[group]
    return f"{up} up, {down} down"


def change_name(factor: str, level: str) -> str:
    """Name of a setup that differs from the baseline in one factor."""
    match factor:
        case "protocol":
            return _TITLES[level]
        case "group":
            return level if level != "P-256" else "group-P-256"
        case "certificate":
            return f"cert-{level}"
        case "client_certificate":
            return "mTLS" if level == MTLS else "no-client-cert"
        case "chain":
            return level
        case _:
            return "resumed" if level == ON else "full-handshake"


# The levels of a preset in addition to those of the default setup, its baseline.
_CHANGES: dict[str, dict[str, tuple[str, ...]]] = {
    "quick": {
        "protocol": (NO_TLS, TLS12),
        "group": ("X25519MLKEM768",),
        "certificate": ("RSA-2048",),
        "client_certificate": (MTLS,),
        "resumption": (ON,),
    },
    "default": {
        "protocol": (NO_TLS, TLS12),
        "group": ("P-256", "X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"),
        "certificate": ("RSA-2048", "Ed25519", ML_DSA),
        "client_certificate": (MTLS,),
        "resumption": (ON,),
    },
}
_LIBRARIES = {"quick": (GO,), "default": LIBRARY.levels}


def setups(preset: str, requested: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], dict[str, Setup]]:
    """Libraries of a run, and its setups by name, the baseline first.

    The baseline is the default setup with the first requested level of every factor. Every other setup differs from it
    in one factor.

    Raises:
        WrongUse: unknown factor or level.
    """
    defaults = {field.name: (str(field.default),) for field in fields(Setup)}
    preset_levels: dict[str, tuple[str, ...]] = {LIBRARY.name: _LIBRARIES[preset], **defaults}
    chosen = {factor.name: factor.levels for factor in choose(FACTORS, preset_levels, requested)}
    named = defaults.keys() & requested.keys()
    base = replace(Setup(), **{name: chosen[name][0] for name in named})
    changes = {name: chosen[name][1:] for name in defaults if name in named} if named else _CHANGES[preset]
    variants = {base.name: base}
    for name, levels in changes.items():
        variants |= {change_name(name, level): replace(base, **{name: level}) for level in levels}
    return chosen[LIBRARY.name], variants


def impossible(setup: Setup) -> Iterator[str]:
    """Reasons why no library supports a setup."""
    if setup.protocol == TLS12 and "MLKEM" in setup.group:
        yield f"{setup.group} needs TLS 1.3"
    if setup.protocol == TLS12 and setup.certificate == ML_DSA:
        yield "ML-DSA certificates need TLS 1.3"


# The primary metric is what a caller waits for. The handshake alone is not: in TLS 1.3 the client finishes it before
# the server has checked the client's certificate.
NEW = Metric("new_connection", "s", Better.LOWER, Summary.MEDIAN, "new_connection")
HANDSHAKE = Metric("handshake", "s", Better.LOWER, Summary.MEDIAN, "handshake", part_of=NEW.name)
REQUEST = Metric("request", "s", Better.LOWER, Summary.MEDIAN, "request")
CLIENT_CPU = Metric("client_cpu", "s", Better.LOWER, Summary.MEAN, "client_cpu", cpu=True)
SERVER_CPU = Metric("server_cpu", "s", Better.LOWER, Summary.MEAN, "server_cpu", cpu=True)
SENT = Metric("sent_bytes", "B", Better.LOWER, Summary.MEAN, "sent_bytes", resolution=1.0)
RECEIVED = Metric("received_bytes", "B", Better.LOWER, Summary.MEAN, "received_bytes", resolution=1.0)
METRICS = (
    NEW,
    HANDSHAKE,
    REQUEST,
    CLIENT_CPU,
    SERVER_CPU,
    SENT,
    RECEIVED,
    Metric("p90_new_connection", "s", Better.LOWER, Summary.P90, "new_connection", compared=False),
    Metric("connect", "s", Better.LOWER, Summary.MEDIAN, "connect", compared=False),
    Metric("requests", "operations/s", Better.HIGHER, Summary.RATE, "request", compared=False),
    Metric("request_client_cpu", "s", Better.LOWER, Summary.MEAN, "request_client_cpu", compared=False, cpu=True),
    Metric("request_server_cpu", "s", Better.LOWER, Summary.MEAN, "request_server_cpu", compared=False, cpu=True),
    Metric("request_sent_bytes", "B", Better.LOWER, Summary.MEAN, "request_sent_bytes", compared=False),
    Metric("request_received_bytes", "B", Better.LOWER, Summary.MEAN, "request_received_bytes", compared=False),
)
WORDS = {
    "metric=new_connection": "new connection to first byte",
    "metric=handshake": "handshake",
    "metric=request": "request, connection open",
    "metric=client_cpu": "CPU time of the client per connection",
    "metric=server_cpu": "CPU time of the server per connection",
    "metric=sent_bytes": "bytes sent per connection",
    "metric=received_bytes": "bytes received per connection",
    "metric=p90_new_connection": "p90 of a new connection",
    "metric=connect": "TCP connect",
    "metric=requests": "requests per second, connection open",
    "metric=request_client_cpu": "CPU time of the client per request",
    "metric=request_server_cpu": "CPU time of the server per request",
    "metric=request_sent_bytes": "bytes sent per request",
    "metric=request_received_bytes": "bytes received per request",
}


# Requested levels as a plan option; not an option of the command line.
ASKED = "asked"
_LONGEST_S = 1.0

OPTIONS = (Option("delay", "round-trip time that a relay in user space adds, as in 40ms", metavar="TIME"),)


def levels_option(levels: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Requested levels as a plan option."""
    return {ASKED: tuple(f"{name}={','.join(chosen)}" for name, chosen in levels.items())} if levels else {}


def requested_levels(options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Requested levels from a plan's options."""
    return {
        name: tuple(levels.split(",")) for name, _, levels in (text.partition("=") for text in options.get(ASKED, ()))
    }


def delay_s(options: Mapping[str, tuple[str, ...]]) -> float:
    """Added round-trip time in seconds. Raises `WrongUse`."""
    return option_seconds(options, "delay", 0.0, (1e-4, _LONGEST_S), "--delay 40ms")
