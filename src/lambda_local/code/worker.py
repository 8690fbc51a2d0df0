"""The process that takes one large upload: `Places` as a line on stdin, then the body; an `Upload` on stdout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from sectax.sandboxes.inside import kernel
from sectax.stack.lambda_service.code import CodeStore
from sectax.stack.lambda_service.code.upload import Places, taken

_NICE = 10  # what is measured meanwhile comes first

if __name__ == "__main__":
    kernel.die_with_parent()  # or it would write into folders that the next server has swept
    os.nice(_NICE)
    places = msgspec.json.decode(sys.stdin.buffer.readline(), type=Places)
    upload = taken(sys.stdin.buffer.read(), places, CodeStore(Path(places.store)))
    sys.stdout.buffer.write(msgspec.json.encode(upload))
