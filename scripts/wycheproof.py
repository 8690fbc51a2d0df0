"""Make both wycheproof.json of sectax.experiments of Wycheproof's files at one commit: `python scripts/wycheproof.py`.

What is kept is in the words of the modules that read them. Its licence, Apache-2.0, is that of sectax too.
"""

import base64
import hashlib
import json
import urllib.request
from pathlib import Path

COMMIT = "dac1dd4729fd1f8dd9e1e9f3dce51d783da6c166"
SHA256 = "8e687a06fe8359f4ec51480f1a9f73c8faebd6f4c01b818b843b44eee54fd5d9"
FOLDER = f"https://raw.githubusercontent.com/C2SP/wycheproof/{COMMIT}/testvectors_v1"
SOURCE = f"{FOLDER}/json_web_signature_test.json"
# Of the use that a key declares, which a PEM does not say, and of how header and payload are encoded.
LEFT_OUT = {"rsa_encryption", "ec_key_for_encryption", "base64"}
EXPERIMENTS = Path(__file__).parents[1] / "src/sectax/experiments"
# Algorithm by bits of the key, and the SHA-256 of the file.
PRIMITIVES = {
    "aes_gcm_test": (
        {128: "aes-128-gcm", 256: "aes-256-gcm"},
        "985e5ecc172e181eaf49e89508b9470dcf478002eb7e8559c707eb42dc97dfe7",
    ),
    "chacha20_poly1305_test": (
        {256: "chacha20-poly1305"},
        "fe61d25f90e1bde4461d00eafe61049e5f29bd999f36b766df9cda90906ad53d",
    ),
    "aes_gcm_siv_test": ({256: "aes-256-gcm-siv"}, "d96e4f8c0db1a5e3b395907120f9d417d599507e7a08a1f60babff09ae276a8d"),
    "hmac_sha256_test": ({256: "hmac-sha-256"}, "2d201cfa61d1bf95e6f5d07d96634b4a348b31e8eaa277ad7c8d09677b7a743f"),
    "hmac_sha512_test": ({512: "hmac-sha-512"}, "b6c90477bdb4a6fc8ee3d1f7b2c0b69a8dfffab34718abaa6cabd71cc2ba1207"),
    "kmac256_no_customization_test": (
        {256: "kmac256"},
        "950b9e8f64bd4e614aa3d825f0cd0570ec33c6cdfc81cbd043c429265149a671",
    ),
}
# Groups of one key and as many tests; of ChaCha20-Poly1305 every test has a key of its own.
LEAST, MOST_ALONE = 2, 6


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


def of_primitives(name: str, text: bytes) -> list[dict[str, object]]:
    """The groups of a file: sealed messages under one key, or tags of one message."""
    algorithms, sha256 = PRIMITIVES[name]
    if hashlib.sha256(text).hexdigest() != sha256:
        raise SystemExit(f"{name} is not that of the commit")
    groups: dict[str, dict[str, object]] = {}
    for group in json.loads(text)["testGroups"]:
        algorithm = algorithms.get(group["keySize"])
        usual = (
            (group["ivSize"], group["tagSize"]) == (96, 128)
            if "ivSize" in group
            else group["tagSize"] == TAG_BITS[name]
        )
        if algorithm is None or not usual:
            continue
        for test in group["tests"]:
            if test.get("aad") or not test["msg"]:
                continue
            inputs = {"key": base64url(test["key"])} | ({} if "iv" in test else {"data": base64url(test["msg"])})
            artefact = base64url(test["iv"] + test["ct"] + test["tag"]) if "iv" in test else base64url(test["tag"])
            new = {"file": name, "algorithm": algorithm, "inputs": inputs, "tests": []}
            merged = groups.setdefault(json.dumps(inputs), new)
            merged["tests"].append([test["tcId"], artefact, test["result"] == "valid"])  # type: ignore[attr-defined]
    found = list(groups.values())
    return [group for group in found if len(group["tests"]) >= LEAST] or found[:MOST_ALONE]  # type: ignore[arg-type]


TAG_BITS = {"hmac_sha256_test": 256, "hmac_sha512_test": 512, "kmac256_no_customization_test": 256}


def base64url(hexadecimal: str) -> str:
    return base64.urlsafe_b64encode(bytes.fromhex(hexadecimal)).rstrip(b"=").decode()


def fetched(name: str) -> bytes:
    with urllib.request.urlopen(f"{FOLDER}/{name}.json") as answer:  # noqa: S310 - of one place, by https
        return bytes(answer.read())


def main() -> None:
    (EXPERIMENTS / "jwt/wycheproof.json").write_text(
        json.dumps(trimmed(fetched("json_web_signature_test")), indent=0) + "\n"
    )
    groups = [group for name in PRIMITIVES for group in of_primitives(name, fetched(name))]
    kept = {"source": FOLDER, "licence": "Apache-2.0", "groups": groups}
    (EXPERIMENTS / "primitives/wycheproof.json").write_text(json.dumps(kept, indent=0) + "\n")


if __name__ == "__main__":
    main()
