"""The spec of one treatment of the experiment `s3`."""

from __future__ import annotations

from dataclasses import dataclass, field

from sectax.experiments.client_server.subject import SharesLoad
from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.local_server import LocalServer
from sectax.experiments.s3.object_pool import ObjectPool
from sectax.experiments.s3.service_probe import CLAIMED
from sectax.hosts.places import HERE, ClientHost
from sectax.model.errors import SectaxError
from sectax.model.subject import Subject

# Limit of a first object that only shows the encryption and warms the connection.
_FIRST_BYTES = 2**20


@dataclass(frozen=True)
class S3Spec(SharesLoad):
    """One treatment of the experiment `s3`.

    Attributes:
        client, operation, encryption: levels.
        argv: the client's command.
        bytes: of the unencrypted object.
        buckets: used in turn.
        prefix: of every key.
        key: Base64 of 32 bytes, for SSE-C and client-side encryption.
        part_bytes: of a multipart upload; 0 for a single PUT.
        places: hosts of the client processes.
        rate: operations per second on a schedule; 0 for a closed loop.
        server: the local server, whose files can be searched, or None.
        claim: what is known of encryption without a local server.
        object_pool: large objects of earlier clients; None if every client stores its own.
        thorough: whether opening searches all files of the server for the plaintext, and checks a large body's ETag,
            as for the run's first object of a treatment.
        added_s: known cost that the client adds to every operation.
        refused: why the service has no bucket with this encryption, or None.
    """

    client: str
    argv: tuple[str, ...]
    access: S3Access
    operation: str
    encryption: str
    bytes: int
    buckets: tuple[str, ...]
    prefix: str = "sectax/"
    key: str = field(default="", repr=False)
    part_bytes: int = 0
    concurrency: int = 1
    places: tuple[ClientHost, ...] = field(default=(HERE,), repr=False, compare=False)
    rate: float = 0.0
    server: LocalServer | None = field(default=None, repr=False)
    claim: str = CLAIMED
    thorough: bool = True
    added_s: float = 0.0
    refused: SectaxError | None = field(default=None, repr=False)
    object_pool: ObjectPool | None = field(default=None, repr=False, compare=False)

    @property
    def pool_key(self) -> tuple[object, ...]:
        """Treatments with equal keys share objects."""
        return self.client, self.operation, self.encryption, self.bytes, self.part_bytes

    @property
    def first_bytes(self) -> int:
        """Bytes of the object stored at the start: small if never read."""
        fresh = self.operation in ("put", "delete") and not self.part_bytes
        return min(self.bytes, _FIRST_BYTES) if fresh and not self.thorough else self.bytes

    @property
    def clients(self) -> int:
        return len(self.places)

    def subject(self) -> Subject:
        from sectax.experiments.s3.subject import S3Subject

        return S3Subject(self)
