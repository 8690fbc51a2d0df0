"""What someone would write to time signatures with pyperf. Runs in the Python probe's own interpreter.

PYTHONPATH=FOLDER-WITH-PYPERF python signs.py --key FILE --signatures N [options of pyperf]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyperf  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key


def sign_many(key: Any, data: bytes, signatures: int) -> None:
    for _ in range(signatures):
        key.sign(data, ECDSA(SHA256()))


def main() -> None:
    def pass_on(command: list[str], given: argparse.Namespace) -> None:
        command += ["--key", given.key, "--signatures", str(given.signatures)]

    runner = pyperf.Runner(add_cmdline_args=pass_on)
    runner.argparser.add_argument("--key", required=True)
    runner.argparser.add_argument("--signatures", type=int, required=True)
    given = runner.parse_args()
    key = load_pem_private_key(Path(given.key).read_bytes(), None)
    # The name stays the same whatever the number, so that compare_to sets the runs side by side.
    runner.bench_func("sign_many", sign_many, key, bytes(128), given.signatures)


main()
