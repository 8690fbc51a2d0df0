"""One treatment of the experiment `s3`, as data: what its client does, to which object, at which service."""

from __future__ import annotations

from dataclasses import dataclass, field

from sectax.experiments.client_server.subject import SharesLoad
from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.minio import Minio
from sectax.experiments.s3.object_pool import ObjectPool
from sectax.hosts.places import HERE, ClientHost
from sectax.model.errors import SectaxError
from sectax.model.subject import Subject

# Of a first object that is there to show the encryption, and to warm the connection.
_FIRST_BYTES = 2**20


@dataclass(frozen=True)
class S3Spec(SharesLoad):
    """One treatment of the experiment `s3`.

    Attributes:
        client: `python` or `go`. argv: how it is started.
        operation: of `OPERATIONS`. encryption: of `ENCRYPTIONS`.
        bytes: of the object, before any encryption.
        buckets: objects go to all of them in turn.
        prefix: of every key.
        key: Base64 of 32 bytes, for SSE-C and the client's own encryption.
        part_bytes: of a multipart upload; 0 puts the object at once.
        concurrency: operations at once, at most.
        places: where the processes run that share the load.
        rate: operations per second that are sent on schedule; 0 for a closed loop.
        server: the local server, whose files can be searched; None for another's.
        shelf: of large objects that earlier clients left; None where every client stores its own.
        thorough: whether opening looks at all that there is to see, as the run's first object of a treatment wants: the
            plaintext is searched in all files of the server, and of a large body it is found out what its ETag is.
        added_s: seconds that the client adds to every operation, a known cost on purpose.
        refused: why the service has no bucket with this encryption; None where it has.
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
    server: Minio | None = field(default=None, repr=False)
    thorough: bool = True
    added_s: float = 0.0
    refused: SectaxError | None = field(default=None, repr=False)
    shelf: ObjectPool | None = field(default=None, repr=False, compare=False)

    @property
    def alike(self) -> tuple[object, ...]:
        """What treatments share that may find each other's objects."""
        return self.client, self.operation, self.encryption, self.bytes, self.part_bytes

    @property
    def first_bytes(self) -> int:
        """Of the object that is stored when a client is opened.

        A client that stores new objects needs no large one before them, and the thorough opening had one.
        """
        fresh = self.operation in ("put", "delete") and not self.part_bytes
        return min(self.bytes, _FIRST_BYTES) if fresh and not self.thorough else self.bytes

    @property
    def clients(self) -> int:
        return len(self.places)

    def subject(self) -> Subject:
        from sectax.experiments.s3.subject import S3Subject

        return S3Subject(self)
