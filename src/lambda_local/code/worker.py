"""The process that takes one large upload: `Places` as a line on stdin, then the body; an `Upload` on stdout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from lambda_local.code import CodeStore
from lambda_local.code.upload import Places, taken
from lambda_local.inside import kernel

_NICE = 10  # what is measured meanwhile comes first

if __name__ == "__main__":
    kernel.die_with_parent()  # or it would write into folders that the next server has swept
    os.nice(_NICE)
    places = msgspec.json.decode(sys.stdin.buffer.readline(), type=Places)
    upload = taken(sys.stdin.buffer.read(), places, CodeStore(Path(places.store)))
    sys.stdout.buffer.write(msgspec.json.encode(upload))
