"""Make src/sectax/experiments/jwt/wycheproof.json of Wycheproof's file at one commit: `python scripts/wycheproof.py`.

What is kept is in that module's words. Its licence, Apache-2.0, is that of sectax too.
"""

import base64
import hashlib
import json
import urllib.request
from pathlib import Path

COMMIT = "dac1dd4729fd1f8dd9e1e9f3dce51d783da6c166"
SHA256 = "8e687a06fe8359f4ec51480f1a9f73c8faebd6f4c01b818b843b44eee54fd5d9"
SOURCE = f"https://raw.githubusercontent.com/C2SP/wycheproof/{COMMIT}/testvectors_v1/json_web_signature_test.json"
# Of the use that a key declares, which a PEM does not say, and of how header and payload are encoded.
LEFT_OUT = {"rsa_encryption", "ec_key_for_encryption", "base64"}
OUT = Path(__file__).parents[1] / "src/sectax/experiments/jwt/wycheproof.json"


def trimmed(text: bytes) -> dict[str, object]:
    """The groups that apply, those of one algorithm and key in one; of each test its number, token and result."""
    if hashlib.sha256(text).hexdigest() != SHA256:
        raise SystemExit("the file is not that of the commit")
    groups: dict[tuple[str, str], dict[str, object]] = {}
    for group in json.loads(text)["testGroups"]:
        if group["comment"] in LEFT_OUT:
            continue
        key = group.get("public") or group["private"]
        public = {name: key[name] for name in ("kty", "crv", "n", "e", "x", "y", "k") if name in key}
        valid = next(test["jws"] for test in group["tests"] if test["result"] == "valid")
        # The key's own member is wrong in places (ES521, and PS256 of a PS384 token).
        alg = json.loads(base64.urlsafe_b64decode(valid.partition(".")[0] + "=="))["alg"]
        merged = groups.setdefault((alg, json.dumps(public)), {"alg": alg, "public": public, "tests": []})
        merged["tests"] += [{name: test[name] for name in ("tcId", "result", "jws")} for test in group["tests"]]
    return {"source": SOURCE, "sha256": SHA256, "licence": "Apache-2.0", "groups": list(groups.values())}


if __name__ == "__main__":
    with urllib.request.urlopen(SOURCE) as answer:
        OUT.write_text(json.dumps(trimmed(answer.read()), indent=0) + "\n")
