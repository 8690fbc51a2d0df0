"""Records the conversations in this folder anew: `python probes/transcripts/record.py FOLDER COMMAND…`.

FOLDER is the probe's. Run it where sectax is installed, with a probe that conforms.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import time
from base64 import urlsafe_b64encode
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from sectax.hosts.process.child import Child

CLAIMS = '{"sub":"transcript","scope":"read"}'
SECRET = b"a secret that everyone may know!"


def base64url(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def signing_input(algorithm: str) -> str:
    header = json.dumps({"alg": algorithm, "typ": "JWT"}, separators=(",", ":"))
    return f"{base64url(header.encode())}.{base64url(CLAIMS.encode())}"


def prepare(operation: str, inputs: dict[str, str], **parameters: str) -> dict[str, object]:
    return {"command": "prepare", "operation": operation, "parameters": parameters, "inputs": inputs}


def measure(count: int, settle: int = 0, each: bool = False) -> dict[str, object]:
    return {"command": "measure", "count": count, "settle": settle, "each": each}


def conversations() -> dict[str, list[dict[str, object]]]:
    hello: dict[str, object] = {"command": "hello", "protocol": 1}
    stop: dict[str, object] = {"command": "stop"}
    text = signing_input("HS256")
    token = f"{text}.{base64url(hmac.digest(SECRET, text.encode(), hashlib.sha256))}"
    hs256 = {"secret": base64url(SECRET), "claims": CLAIMS, "signing_input": text, "token": token}
    key = ec.generate_private_key(ec.SECP256R1())
    text = signing_input("ES256")
    r, s = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    es256_token = f"{text}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    other = base64url(CLAIMS.replace("read", "rule").encode())
    return {
        "empty": [
            hello,
            prepare("empty", {}),
            {"command": "witness", "present": []},
            measure(1),
            measure(100_000, settle=100_000),
            measure(10, each=True),
            stop,
        ],
        "sign": [
            hello,
            prepare("sign", hs256, algorithm="HS256", layer="library", key_use="parsed-once"),
            measure(1),
            {"command": "witness", "present": [token.replace(base64url(CLAIMS.encode()), other), token]},
            measure(500, settle=500),
            {"command": "witness", "present": [token]},
            stop,
        ],
        "verify": [
            hello,
            prepare(
                "verify",
                {"public_key_pem": pem, "token": es256_token},
                algorithm="ES256",
                layer="primitive",
                key_use="parsed-per-call",
            ),
            {"command": "witness", "present": [es256_token, es256_token.replace(base64url(CLAIMS.encode()), other)]},
            measure(50, settle=50),
            measure(5, each=True),
            stop,
        ],
        "refusals": [
            {"command": "hello", "protocol": 999},
            hello,
            measure(1),
            prepare("dance", {}),
            prepare("sign", hs256, algorithm="HS256", layer="primitive", key_use="parsed-per-call"),
            prepare("sign", {}, algorithm="HS256", layer="primitive", key_use="parsed-once"),
            prepare("empty", {}),
            measure(1),
            stop,
        ],
    }


def record(argv: list[str], folder: str, requests: list[dict[str, object]]) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    with Child(argv, cwd=folder) as child:
        for seq, request in enumerate(requests, 1):
            asked = {"seq": seq} | request
            deadline = time.monotonic() + 30
            child.send(json.dumps(asked).encode() + b"\n", deadline)
            lines.append({"from": "sectax", "line": asked})
            lines.append({"from": "probe", "line": json.loads(child.receive_line(deadline))})
    return lines


if __name__ == "__main__":
    for name, requests in conversations().items():
        lines = record(sys.argv[2:], sys.argv[1], requests)
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        Path(__file__).with_name(f"{name}.jsonl").write_text(text)
