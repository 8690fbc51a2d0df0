"""What someone would write to time one call of cryptography with pyperf. Runs in the probe's own interpreter.

    PYTHONPATH=FOLDER-WITH-PYPERF python pyperf_call.py --case FILE [options of pyperf]

FILE holds JSON: algorithm, operation, private_key_pem and signing_input.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import pyperf  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key


def main() -> None:
    def pass_on(command: list[str], given: argparse.Namespace) -> None:
        command += ["--case", given.case]

    runner = pyperf.Runner(add_cmdline_args=pass_on)
    runner.argparser.add_argument("--case", required=True)
    given = runner.parse_args()
    case = json.loads(Path(given.case).read_text())

    # pyperf times its loop with what it finds here: CPU time, as the probe's.
    time.perf_counter = time.process_time
    key: Any = load_pem_private_key(case["private_key_pem"].encode(), None)
    data = case["signing_input"].encode()
    how = (PKCS1v15(), SHA256()) if case["algorithm"] == "RS256" else (ECDSA(SHA256()),)
    if case["operation"] == "sign":
        runner.bench_func(case["name"], key.sign, data, *how)
    else:
        signature = key.sign(data, *how)
        runner.bench_func(case["name"], key.public_key().verify, signature, data, *how)


main()
