"""The two ends of a TLS connection by OpenSSL, through pyOpenSSL: `ends.py server` and `ends.py client`.

They are spoken to as PROTOCOL.md of the ends in Go says. The OpenSSL is the one that cryptography brings.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from client import Client
from OpenSSL import SSL
from server import Server
from settings import kind_of

VERSION = 1
LONGEST = 300


def clock() -> dict[str, Any]:
    """The monotonic clock: its smallest step and the cost of a reading."""
    took = sorted(-(time.monotonic_ns() - time.monotonic_ns()) for _ in range(2000))
    step = next((one for one in took if one > 0), 1)
    return {"name": "monotonic", "granularity_ns": step, "read_ns": took[len(took) // 2]}


def main() -> int:
    ends = {"server": Server, "client": Client}
    if len(sys.argv) != 2 or sys.argv[1] not in ends:
        sys.stderr.write("usage: ends.py server|client\n")
        return 2
    end = ends[sys.argv[1]]()
    for text in sys.stdin:
        asked = json.loads(text)
        try:
            if asked["command"] == "hello":
                library = SSL.OpenSSL_version(SSL.OPENSSL_VERSION).decode()
                answer = {
                    "protocol": VERSION,
                    "library": f"{library} by pyOpenSSL",
                    "pid": os.getpid(),
                    "clock": clock(),
                }
            else:
                answer = end.handle(asked)
            answer = {"ok": True} | answer
        except Exception as error:
            answer = {"ok": False, "kind": kind_of(error), "reason": (str(error) or type(error).__name__)[:LONGEST]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
