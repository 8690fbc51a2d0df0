"""Takes the body of a request that brings an archive: parses it, keeps the archive, unpacks it.

None of that happens in the server's event loop, and for a large one not even in its process: decoding 67 MB of JSON and
Base64 holds Python's lock for so long that another function's Duration would show it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lambda_local.code import BadArchive, CodeStore
from lambda_local.errors import LambdaLocalError
from lambda_local.function import Code

ZIPPED_BYTES = 50 * 1024 * 1024  # that come with a request: AWS Lambda quotas

# Below this the process would take longer to start than the work takes.
_OWN_PROCESS_FROM_BYTES = 512 * 1024
_HOLDERS = ("Code", "Content")  # of CreateFunction and PublishLayerVersion; UpdateFunctionCode has ZipFile itself


class Upload(msgspec.Struct):
    """A request with an archive, taken in.

    Attributes:
        document: the rest of the body, as JSON.
        sha256: of the archive, Base64; empty where none came. size, unpacked: bytes. folder: where its files are.
        malformed: why the body could not be read. refused: why the archive is not taken. failed: why it could not be
            kept, which is no fault of the archive.
    """

    document: bytes = b""
    sha256: str = ""
    size: int = 0
    unpacked: int = 0
    folder: str = ""
    malformed: str = ""
    refused: str = ""
    failed: str = ""

    @property
    def code(self) -> Code | None:
        """The code; None where none came."""
        return Code(self.sha256, self.size, Path(self.folder), self.unpacked) if self.sha256 else None


def take(parts: Sequence[bytes], store: CodeStore) -> Upload:
    """Take a body in, here or in a process of its own; blocks for as long as that takes.

    Args:
        parts: the body, in order.
    """
    if sum(map(len, parts)) < _OWN_PROCESS_FROM_BYTES:
        return taken(b"".join(parts), store)
    worker = subprocess.Popen(
        [sys.executable, "-m", "lambda_local.code.worker", str(store.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        with worker.stdin:
            for part in parts:
                worker.stdin.write(part)
        answer = worker.stdout.read()
        return msgspec.json.decode(answer, type=Upload)
    except (OSError, msgspec.DecodeError) as error:
        return Upload(failed=f"the process that unpacks archives ended: {error}")
    finally:
        worker.stdout.close()
        worker.wait()


def taken(body: bytes, store: CodeStore) -> Upload:
    """Take a body in, in this process."""
    try:
        document, archive = _parted(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Upload(malformed=str(error))
    except RecursionError:
        return Upload(malformed="the document is nested too deeply")
    if archive is None:
        return Upload(document)
    if len(archive) > ZIPPED_BYTES:
        return Upload(document, refused=f"Zipped size must be smaller than {ZIPPED_BYTES} bytes")
    try:
        code = store.add(archive)
        size = sum(path.lstat().st_size for path in code.folder.rglob("*") if not path.is_dir())
    except BadArchive as error:
        return Upload(document, refused=str(error))
    except (OSError, LambdaLocalError) as error:
        return Upload(document, failed=f"the archive cannot be kept: {error}")
    return Upload(document, code.sha256, code.size, size, str(code.folder))


def _parted(body: bytes) -> tuple[bytes, bytes | None]:
    """The body without its archive, and the archive."""
    members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    archive: bytes | None = None
    if "ZipFile" in members:
        archive = msgspec.json.decode(members.pop("ZipFile"), type=bytes | None)
    for name in _HOLDERS:
        if name in members:
            inner = msgspec.json.decode(members[name], type=dict[str, msgspec.Raw] | None) or {}
            if "ZipFile" in inner:
                archive = msgspec.json.decode(inner.pop("ZipFile"), type=bytes | None)
                members[name] = msgspec.Raw(msgspec.json.encode(inner))
    return msgspec.json.encode(members), archive
