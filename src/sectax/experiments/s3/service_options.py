"""Options of the S3 service: a local server, AWS, or an address."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sectax.experiments.client_server.endpoint import AWS, LOCAL, read_endpoint
from sectax.experiments.client_server.load import CLIENTS
from sectax.experiments.interface import Option
from sectax.experiments.named import FOLDER
from sectax.experiments.s3.levels import ENCRYPTIONS, NONE, PLAIN, SSE_C, SSE_S3, TLS
from sectax.model.errors import WrongUse
from sectax.model.why_not import WhyNot
from sectax.text.near import did_you_mean

OPTIONS = (
    Option("endpoint", "the service: local (the default, a server started by sectax), aws, or an address", "WHERE"),
    Option("region", "the region of the service (default: AWS_REGION, or us-east-1)", "NAME"),
    Option("ca", "a file with the CA certificate of the service", "FILE"),
    Option("bucket", "an existing bucket for one level of encryption; others are created", "LEVEL=NAME", multiple=True),
    Option("link", "the bandwidth to the service, such as 10Gbit/s; faster results are rejected", "RATE"),
    Option("kms-key", "the KMS key of the buckets that sectax creates (default: AWS's own for S3)", "ID"),
    CLIENTS,
    Option("data", "the local server's folder (default: sectax's state folder)", "FOLDER"),
)
_BASIC_REGION = "us-east-1"
# No single TCP connection reaches 160 Gbit/s: a faster body was not transferred.
_NO_LINK_BYTES_S = 2e10
_LINK = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)([KMG])bit/s", re.ASCII)
_BITS = {"K": 1e3, "M": 1e6, "G": 1e9}


@dataclass(frozen=True)
class S3Options:
    """Parsed options.

    Attributes:
        endpoint: `local`, `aws`, or an address.
        buckets: level of encryption -> existing bucket.
        data: parent folder of a local server; None for sectax's state folder.
        link_bytes_s: bandwidth, in bytes per second.
    """

    endpoint: str
    region: str | None
    ca: Path | None
    buckets: Mapping[str, str] = field(hash=False)
    kms_key: str
    data: Path | None
    link_bytes_s: float

    @property
    def baseline(self) -> str:
        """AWS encrypts every new object (SSE-S3, 2023-01-05): no 'none' there."""
        return SSE_S3 if self.endpoint == AWS else NONE

    @property
    def transfer(self) -> str:
        """The protocol of a service at an address."""
        return PLAIN if self.endpoint.startswith("http:") else TLS

    def lacks(self, transfer: str, encryption: str) -> WhyNot | None:
        """Why the service does not support these levels, or None."""
        if encryption == SSE_C and transfer == PLAIN:
            return WhyNot("SSE-C sends its key with every request, so S3 requires TLS", "--level transfer=tls")
        if self.endpoint == AWS and encryption == NONE:
            return WhyNot("AWS encrypts every new object with SSE-S3")
        if self.endpoint != LOCAL and transfer != self.transfer:
            protocol = "plain HTTP" if self.transfer == PLAIN else "TLS"
            return WhyNot(f"the endpoint uses {protocol}", f"--level transfer={self.transfer}")
        return None


def read_where(options: Mapping[str, tuple[str, ...]]) -> S3Options:
    """Parse the options, without reading files. Raises `WrongUse`."""
    typed = {name: values[0] for name, values in options.items() if values}
    folder = Path(typed.get(FOLDER, "."))
    endpoint = typed.get("endpoint", LOCAL)
    if read_endpoint(endpoint, "https://s3.example.org or http://127.0.0.1:9000") is not None:
        endpoint = endpoint.rstrip("/")
    if endpoint == LOCAL:
        for name in ("region", "ca", "bucket", "kms-key"):
            if options.get(name):
                raise WrongUse(f"--{name} does not apply to the local server", "add --endpoint")
    elif "data" in typed:
        raise WrongUse("--data applies to the local server only", "remove it")
    buckets = _buckets(options.get("bucket", ()))
    return S3Options(
        endpoint=endpoint,
        region=typed.get("region"),
        ca=Path(folder, typed["ca"]) if "ca" in typed else None,
        buckets=buckets,
        kms_key=typed.get("kms-key", ""),
        data=Path(folder, typed["data"]) if "data" in typed else None,
        link_bytes_s=_link(typed["link"]) if "link" in typed else _NO_LINK_BYTES_S,
    )


def service_region(where: S3Options) -> str:
    return where.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or _BASIC_REGION


def _link(typed: str) -> float:
    match = _LINK.fullmatch(typed)
    bytes_s = float(match[1]) * _BITS[match[2]] / 8 if match else 0.0
    if not bytes_s:
        raise WrongUse(f"--link {typed!r} is not a bandwidth", "as in 10Gbit/s or 500Mbit/s")
    return bytes_s


def _buckets(texts: tuple[str, ...]) -> dict[str, str]:
    named: dict[str, str] = {}
    for text in texts:
        level, separator, name = text.partition("=")
        if not separator or not name:
            raise WrongUse(f"--bucket {text!r} is not LEVEL=NAME", "as in --bucket sse-kms=my-bucket")
        if level not in ENCRYPTIONS:
            raise WrongUse(f"there is no encryption {level!r}", did_you_mean(level, ENCRYPTIONS))
        named[level] = name
    return named


def read_certificate(path: Path) -> str:
    """Read a PEM certificate. Raises `WrongUse`."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise WrongUse(f"--ca {path} cannot be read: {why}", "give a PEM file") from error
    if "BEGIN CERTIFICATE" not in text:
        raise WrongUse(f"--ca {path} does not contain a certificate", "give a PEM file")
    return text
