"""An owner of an instance that is to be killed: makes it, says so, and waits.

python owner.py NAME
"""

from __future__ import annotations

import os
import sys
import time

from lambda_local.sandbox import Instance, Limits
from lambda_local.work_folder import new_folder


def main(name: str) -> None:
    null = os.open("/dev/null", os.O_WRONLY)
    # A program that ignores all it can and leaves its session, with a child that does the same.
    stubborn = ["/bin/sh", "-c", "trap '' HUP INT TERM PIPE; setsid sleep 600 & sleep 600"]
    folder = new_folder()
    instance = Instance.create(folder, name, Limits(128, 0.5), [], tmp_mb=8)
    instance.start(stubborn, {"PATH": "/usr/bin:/bin", "MARK": name}, "/tmp", null, null)
    instance.start(["/bin/sleep", "600"], {"MARK": name}, "/", null, null)
    print(folder.path.name, flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
