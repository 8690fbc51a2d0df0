"""An owner of instances that is to be killed: makes, uses and destroys them until then, and says what it does.

python owner.py NAME [keep]        keep: make one, say so, and wait
"""

from __future__ import annotations

import os
import sys
import time

from lambda_local.sandbox import Instance, Limits
from lambda_local.work_folder import new_folder


def main(name: str, *, keep: bool) -> None:
    null = os.open("/dev/null", os.O_WRONLY)
    # A program that ignores all it can and leaves its session, with a child that does the same.
    stubborn = ["/bin/sh", "-c", "trap '' HUP INT TERM PIPE; setsid sleep 600 & sleep 600"]
    folder = new_folder()
    print(folder.path.name, flush=True)
    while True:
        instance = Instance.create(folder, name, Limits(128, 0.5), [], tmp_mb=8)
        with instance.listen("127.0.0.1", 9001):
            instance.start(stubborn, {"PATH": "/usr/bin:/bin", "MARK": name}, "/tmp", null, null)
            instance.start(["/bin/sleep", "600"], {"MARK": name}, "/", null, null)
            print("up", flush=True)
            if keep:
                time.sleep(600)
        instance.destroy()
        print("down", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], keep="keep" in sys.argv[2:])
