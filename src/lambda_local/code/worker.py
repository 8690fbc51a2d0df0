"""The process that takes one large upload: given the folder of the store, the body on stdin; an `Upload` on stdout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from lambda_local.code import CodeStore
from lambda_local.code.upload import taken
from lambda_local.inside import kernel

_NICE = 10  # what is measured meanwhile comes first

if __name__ == "__main__":
    kernel.die_with_parent()  # or it would write into folders that the next server has swept
    os.nice(_NICE)
    upload = taken(sys.stdin.buffer.read(), CodeStore(Path(sys.argv[1])))
    sys.stdout.buffer.write(msgspec.json.encode(upload))
