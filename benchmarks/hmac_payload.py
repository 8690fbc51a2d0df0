"""How long `sectax hmac payload --size 3MiB` takes, as a whole command: 0.3 s are promised.

    python -m benchmarks.hmac_payload [--runs 20]

Each run is a fresh process with its key in a file. Beside it stands Python's standard library alone, which makes the
same event in a script of ten lines: what is above that is sectax's own.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.output import environment, heading, table, target

AT_MOST_S = 0.3
ALONE = """
import base64, hashlib, hmac, json, secrets, sys
key = open(sys.argv[1], "rb").read()
size = 3 * 1024 * 1024
packed = b"\\x83\\xa1a\\x7b\\xa1b\\xcd\\x01\\xc8\\xa3obj\\xc6" + size.to_bytes(4) + bytes(size)
data = base64.b64encode(packed)
salt = secrets.token_hex(16)
derived = hmac.new(key, salt.encode(), hashlib.sha512).hexdigest().encode()
token = hmac.new(derived, data, hashlib.sha512).hexdigest()
json.dump({"key": salt, "token": token, "data": data.decode()}, open(sys.argv[2], "w"))
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hmac_payload", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="turns (20)")
    runs = parser.parse_args().runs
    heading("Making a signed event of 3 MiB")
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder, "key")
        key.write_text("k" * 86)
        payload = [sys.executable, "-m", "sectax", "hmac", "payload", "--size", "3MiB", "--force", "--out", folder]
        ways = {
            "sectax hmac payload": [*payload, "--key-file", str(key)],
            "standard library": [sys.executable, "-c", ALONE, str(key), str(Path(folder, "alone.json"))],
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(runs):
            for name, command in ways.items():
                began = time.perf_counter()
                subprocess.run(command, env=environment(), stdout=subprocess.DEVNULL, check=True)
                taken[name].append(time.perf_counter() - began)
        sizes = {Path(folder, name).stat().st_size for name in ("3MiB.json", "alone.json")}
    rows = [[name, f"{1e3 * statistics.median(times):.0f}", f"{1e3 * max(times):.0f}"] for name, times in taken.items()]
    table(
        ["", "median, ms", "most, ms"], rows, f"{runs} turns; events of {' and '.join(map(str, sorted(sizes)))} bytes"
    )
    print()
    worst = max(taken["sectax hmac payload"])
    target("sectax hmac payload --size 3MiB", worst, AT_MOST_S, f"{worst:.3f} s at most, {AT_MOST_S:g} s promised")


if __name__ == "__main__":
    main()
