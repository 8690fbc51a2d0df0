"""What an S3 subject is told, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from sectax.model.subject import Subject
from sectax.stack.object_store.server import Access

OPERATIONS = ("put", "get", "head", "delete")
# What only metadata moves for: the size of the object changes nothing in it.
METADATA = frozenset({"head", "delete"})
# Of a first object that is there to show the encryption, and to warm the connection.
FIRST_BYTES = 2**20


@dataclass(frozen=True)
class S3Spec:
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
        rate: operations per second that are sent on schedule; 0 for a closed loop.
        data: the folder of a local server, where its files can be searched; empty for another's.
        log: where a local server writes.
        server_pid: the process of a local server; 0 for another's.
        thorough: whether opening looks at all that there is to see, as the run's first object of a treatment wants: the
            plaintext is searched in all files of the server, and of a large body it is found out what its ETag is.
        added_s: seconds that the client adds to every operation, a known cost on purpose.
    """

    client: str
    argv: tuple[str, ...]
    access: Access
    operation: str
    encryption: str
    bytes: int
    buckets: tuple[str, ...]
    prefix: str = "sectax/"
    key: str = field(default="", repr=False)
    part_bytes: int = 0
    concurrency: int = 1
    rate: float = 0.0
    data: str = ""
    log: str = ""
    server_pid: int = 0
    thorough: bool = True
    added_s: float = 0.0

    @property
    def first_bytes(self) -> int:
        """Of the object that is stored when a client is opened.

        A client that stores new objects needs no large one before them, and the thorough opening had one.
        """
        fresh = self.operation in ("put", "delete") and not self.part_bytes
        return min(self.bytes, FIRST_BYTES) if fresh and not self.thorough else self.bytes

    def subject(self) -> Subject:
        from sectax.subjects.s3.subject import S3Subject

        return S3Subject(self)
