"""Writes vectors.json, that every language is held to: `python -m tests.make_vectors > ../vectors.json`.

It uses Python's standard library alone, and none of the code that it is there to check.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
from typing import Any

KEY = "MySecretKey"
LONG_KEY = "k" * 86  # as long as 64 random bytes in URL-safe Base64, and longer than a key of BLAKE2b
SALT = "00112233445566778899aabbccddeeff"
NOW = 1_800_000_000
NAMES = "a, b, obj"


def published(key: bytes, salt: bytes, data: bytes, digest: str = "sha512") -> str:
    derived = hmac.new(key, salt, digest).hexdigest().encode()
    return hmac.new(derived, data, digest).hexdigest()


def raw_digests(key: bytes, salt: bytes, data: bytes) -> str:
    return hmac.digest(hmac.digest(key, salt, "sha512"), data, "sha512").hex()


def blake2b(key: bytes, salt: bytes, data: bytes) -> str:
    key = hashlib.blake2b(key).digest() if len(key) > 64 else key
    derived = hashlib.blake2b(salt, key=key, digest_size=64).digest()
    return hashlib.blake2b(data, key=derived, digest_size=64).hexdigest()


TOKENS = {
    "hmac-sha512": published,
    "raw-digests": raw_digests,
    "hmac-sha256": lambda key, salt, data: published(key, salt, data, "sha256"),
    "blake2b": blake2b,
    "hmac-sha512-expiry": published,
}


def packed(a: str = "7b", b: str = "cd01c8", obj: str = "c403000102", rest: str = "", head: str = "83") -> bytes:
    """The agreed map {a: 123, b: 456, obj: 00 01 02}, spelled byte by byte so that every part can be spoiled."""
    return bytes.fromhex(f"{head} a161 {a} a162 {b} a36f626a {obj} {rest}")


def expiring(seconds: str) -> bytes:
    return packed(head="84", rest="a765787069726573" + seconds)


GOOD = base64.b64encode(packed()).decode()
_cases: list[dict[str, object]] = []


def case(name: str, event: object, reason: str | None, **environment: str) -> None:
    """One invocation and its answer; *reason* None is an event that is authorized."""
    answer = {"isAuthorized": True} if reason is None else {"isAuthorized": False, "reason": reason}
    settings = {"SHARED_KEY": KEY} | environment
    _cases.append({"name": name, "environment": settings, "event": event, "answer": answer})


def signed(
    data: str | bytes, treatment: str = "hmac-sha512", key: str = KEY, salt: str = SALT, **other: object
) -> dict[str, Any]:
    """A genuine event, with some of its fields replaced."""
    text = base64.b64encode(data).decode() if isinstance(data, bytes) else data
    token = TOKENS[treatment](key.encode(), salt.encode(), text.encode())
    return {"key": salt, "token": token, "data": text} | other


def spoiled(token: str) -> str:
    return ("0" if token[0] != "0" else "1") + token[1:]


def cases() -> None:
    for treatment in TOKENS:
        data = expiring("ce6b49d201") if treatment == "hmac-sha512-expiry" else packed()  # one second left
        good = signed(data, treatment)
        set_to = {"TREATMENT": treatment}
        case(f"{treatment}: genuine", good, None, **set_to)
        case(f"{treatment}: genuine, long key", signed(data, treatment, LONG_KEY), None, SHARED_KEY=LONG_KEY, **set_to)
        case(
            f"{treatment}: wrong token", good | {"token": spoiled(good["token"])}, "the token is not genuine", **set_to
        )
        case(f"{treatment}: wrong salt", good | {"key": SALT[::-1]}, "the token is not genuine", **set_to)
        case(f"{treatment}: other data", good | {"data": "AAAA"}, "the token is not genuine", **set_to)
        case(f"{treatment}: another key", signed(data, treatment, "other"), "the token is not genuine", **set_to)
        case(
            f"{treatment}: token cut short",
            good | {"token": good["token"][:-2]},
            f"`token` is not {len(good['token'])} lower-case hexadecimal digits",
            **set_to,
        )
    for text in ('{"hello": "world"}', '{"hello": "work"}'):
        case(f"as the study prints it: {text}", signed(text, salt="1234"), None, PAYLOAD="opaque")
        case(f"as the study prints it, unpacked: {text}", signed(text, salt="1234"), "`data` is not Base64")
    case("opaque, not ASCII", signed("žluťoučký kůň 🐎", salt="sůl"), None, PAYLOAD="opaque")

    case("none: unchecked", signed(packed()), "nothing was checked", TREATMENT="none")
    case("none: wrong token", signed(packed(), token="0" * 128), "nothing was checked", TREATMENT="none")
    case(
        "none: still strict",
        signed(packed(), token="0"),
        "`token` is not 128 lower-case hexadecimal digits",
        TREATMENT="none",
    )
    case("none: still unpacked", signed("AAAA"), f"`data` holds no MessagePack map of {NAMES}", TREATMENT="none")
    case("immediate: anything", [], "nothing was checked", TREATMENT="immediate")

    for name, event in {"text": "x", "a number": 1, "null": None, "a list": [{}], "true": True}.items():
        case(f"the event is {name}", event, "the event is no JSON object")
    good = signed(packed())
    for name in good:
        case(f"no {name}", {n: v for n, v in good.items() if n != name}, f"the event lacks `{name}`")
        case(
            f"{name} in upper case",
            {n.upper() if n == name else n: v for n, v in good.items()},
            f"the event lacks `{name}`",
        )
        no_texts: list[object] = [None, 1, 1.5, True, [], {}, [good[name]]]
        for value in no_texts:
            case(f"{name} is {json.dumps(value)[:8]}", good | {name: value}, f"`{name}` is no text")
    case("an unknown field", good | {"admin": True}, "the event has a field besides `key`, `token` and `data`")
    case("an empty salt", good | {"key": ""}, "`key` is empty or longer than 128 bytes")
    case("a salt of 128 bytes", signed(packed(), salt="é" * 64), None)
    case("a salt of 129 bytes", signed(packed(), salt="é" * 64 + "x"), "`key` is empty or longer than 128 bytes")
    digits = "`token` is not 128 lower-case hexadecimal digits"
    for name, token in {
        "empty": "",
        "one digit too many": good["token"] + "0",
        "upper case": good["token"].upper(),
        "no hexadecimal": "g" + good["token"][1:],
        "a line break behind it": good["token"][:-1] + "\n",
        "full-width digits": "０" * 128,
    }.items():
        case(f"token: {name}", good | {"token": token}, digits)

    for name, text in {
        "no Base64": "!!!!",
        "cut short": GOOD[:-1],
        "URL-safe": "-_" + GOOD[2:],
        "line breaks": GOOD[:8] + "\r\n" + GOOD[8:],
        "a blank": GOOD[:8] + " " + GOOD[8:],
        "padding in the middle": "AA==AAAA",
        "padding alone": "====",
        "too much padding": GOOD + "====",
        "spare bits set": "gaFhewB=",
        "not ASCII": "äöüß",
        "NUL": "AAA\0",
    }.items():
        case(f"Base64: {name}", signed(text), "`data` is not Base64")
    for name, data in {
        "nothing": b"",
        "cut short": packed()[:-1],
        "more behind it": packed() + b"\0",
        "a number": b"\x05",
        "nil": b"\xc0",
        "the byte that MessagePack never uses": b"\xc1",
        "a list": b"\x93\x01\x02\x03",
        "text": b"\xa3abc",
        "an empty map": b"\x80",
        "a map of 2^32-1 entries": bytes.fromhex("dfffffffff"),
        "a list of 2^32-1 entries": bytes.fromhex("ddffffffff"),
        "a binary of 2^32-1 bytes": packed(obj="c6ffffffff"),
        "text of 2^32-1 bytes": packed(a="dbffffffff"),
        "an extension of 2^32-1 bytes": packed(a="c9ffffffff01"),
        "a binary that claims one byte more": packed(obj="c404000102"),
        "a name twice": packed(head="84", rest="a16101"),
        "a name twice and one missing": bytes.fromhex("83 a16101 a16102 a36f626ac400"),
        "a name too many": packed(head="84", rest="a16301"),
        "a name too few": bytes.fromhex("82 a1617b a162cd01c8"),
        "an expiry that was not agreed": expiring("ce6b49d201"),
        "names in upper case": bytes.fromhex("83 a1417b a162cd01c8 a36f626ac400"),
        "a name that is a number": bytes.fromhex("83 01 7b a162cd01c8 a36f626ac400"),
        "a name that is binary": bytes.fromhex("83 c40161 7b a162cd01c8 a36f626ac400"),
        "a is text": packed(a="a131"),
        "a is true": packed(a="c3"),
        "a is nil": packed(a="c0"),
        "a is a float": packed(a="cb3ff0000000000000"),
        "a is a map": packed(a="80"),
        "a is a list": packed(a="90"),
        "a is a timestamp": packed(a="d6ff00000000"),
        "obj is text": packed(obj="a3000102"),
        "obj is a list": packed(obj="93000102"),
        "obj is nil": packed(obj="c0"),
        "maps in maps": b"\x81\xa1a" * 2000 + b"\x01",
        "lists in lists": b"\x91" * 2000 + b"\x01",
    }.items():
        case(f"MessagePack: {name}", signed(data), f"`data` holds no MessagePack map of {NAMES}")
    for name, data in {
        "another order": bytes.fromhex("83 a36f626ac400 a162cd01c8 a1617b"),
        "names spelled at length": bytes.fromhex("83 d90161 7b a162cd01c8 da00036f626a c400"),
        "map of 16-bit length": packed(head="de0003"),
        "map of 32-bit length": packed(head="df00000003"),
        "integers at their limits": packed(a="cfffffffffffffffff", b="d38000000000000000"),
        "small negative": packed(a="ff"),
        "binary of 16-bit length": packed(obj="c50003000102"),
        "binary of 32-bit length": packed(obj="c600000003000102"),
    }.items():
        case(f"MessagePack: {name}", signed(data), None)

    expiry = {"TREATMENT": "hmac-sha512-expiry"}
    with_expiry = f"`data` holds no MessagePack map of {NAMES}, expires"
    for name, seconds, reason in (
        ("this very second", "ce6b49d200", "the data have expired"),
        ("long ago", "00", "the data have expired"),
        ("before 1970", "ff", "the data have expired"),
        ("never, nearly", "cfffffffffffffffff", None),
        ("a float", "cb41dad27480400000", with_expiry),
        ("true", "c3", with_expiry),
        ("text", "aa31383030303030303031", with_expiry),
    ):
        case(f"expires: {name}", signed(expiring(seconds)), reason, **expiry)
    case("expires: not there", signed(packed()), with_expiry, **expiry)
    late = signed(expiring("00"))
    case(
        "expires: prolonged by someone else",
        late | {"data": signed(expiring("ce6b49d201"))["data"]},
        "the token is not genuine",
        **expiry,
    )


# RFC 4231, test cases 1 to 4, 6 and 7 (5 is of a truncated output): key, data, HMAC-SHA-256, HMAC-SHA-512.
RFC_4231 = [
    (
        "0b" * 20,
        b"Hi There".hex(),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
    ),
    (
        b"Jefe".hex(),
        b"what do ya want for nothing?".hex(),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ),
    (
        "aa" * 20,
        "dd" * 50,
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
    ),
    (
        "0102030405060708090a0b0c0d0e0f10111213141516171819",
        "cd" * 50,
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
    ),
    (
        "aa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First".hex(),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
    ),
    (
        "aa" * 131,
        (
            b"This is a test using a larger than block-size key and a larger than block-size data. "
            b"The key needs to be hashed before being used by the HMAC algorithm."
        ).hex(),
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
        "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
    ),
]

# The known answers of BLAKE2b's reference implementation (blake2b-kat.txt, keyed): key, data, digest.
BLAKE2B_KNOWN_ANSWERS = [
    (
        bytes(range(64)).hex(),
        "",
        "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
        "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568",
    ),
    (
        bytes(range(64)).hex(),
        "00",
        "961f6dd1e4dd30f63901690c512e78e4b45e4742ed197c3c5e45c549fd25f2e4"
        "187b0bc9fe30492b16b0d0bc4ef9b0f34c7003fac09a5ef1532e69430234cebd",
    ),
]

# As the study prints them: shared key, salt, data, token.
PUBLISHED = [
    (
        KEY,
        "1234",
        '{"hello": "world"}',
        "c6d1113a01fa912ba908c7c895ad6b3a9ffee696e90bf3d1cc775062e76b867f"
        "52d1d4b967811dba9296867d242ffd79dfd83c7fa66fd2f04458fe82e470424c",
    ),
    (
        KEY,
        "1234",
        '{"hello": "work"}',
        "15878661cc672e054da45b6aa513d11ef4edb4ac64a5abd80fd4bcefbb07f160"
        "dc48fec8384b159c25a52c33de24110c0721f70ce85457e7ff5f95dff18c76aa",
    ),
]


def main() -> None:
    cases()
    macs = [
        {"treatment": treatment, "source": f"RFC 4231, test case {number}", "key": key, "data": data, "mac": mac}
        for number, (key, data, *both) in zip((1, 2, 3, 4, 6, 7), RFC_4231, strict=True)
        for treatment, mac in (("hmac-sha256", both[0]), ("hmac-sha512", both[1]), ("raw-digests", both[1]))
    ]
    macs += [
        {"treatment": "blake2b", "source": f"blake2b-kat.txt, keyed, {number}", "key": key, "data": data, "mac": mac}
        for number, (key, data, mac) in enumerate(BLAKE2B_KNOWN_ANSWERS)
    ]
    tokens = [dict(zip(("shared_key", "salt", "data", "token"), one, strict=True)) for one in PUBLISHED]
    json.dump({"now": NOW, "macs": macs, "published": tokens, "cases": _cases}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
