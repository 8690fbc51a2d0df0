"""Whatever comes, the answer is one line of `failed` with a reason, and the probe goes on."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448

from sectax_probe.kit.conversation import MAX_LINE_BYTES, MOST_SINGLE_TIMINGS
from tests.speak import Reply, measure, prepare, say
from tests.vectors import EDDSA, ES256, HS256, RS256, pem_inputs

HELLO = {"seq": 9, "command": "hello", "protocol": 1}


def refusal(*requests: bytes | Reply) -> Reply:
    """The reply to the last of *requests*, after which the probe must still answer."""
    reply, hello = say(*requests, HELLO)[-2:]
    assert reply["status"] == "failed"
    assert reply["reason"]
    assert hello["status"] == "ok"
    return reply


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"hello\n",
        b'{"seq": 1, "command": "hel\n',
        b'{"seq": 1}}\n',
        b"\xff\xfe\x00\n",
        b'{"seq": 1, "command": "\xc3"}\n',
        b"[" * 100_000 + b"\n",
        b'{"seq": ' + b"9" * 5000 + b"}\n",
        b"[1, 2]\n",
        b"null\n",
        b'{"command": "hello", "protocol": 1}\n',
        b'{"seq": "1", "command": "hello", "protocol": 1}\n',
        b'{"seq": true, "command": "hello", "protocol": 1}\n',
        b'{"seq": 1.0, "command": "hello", "protocol": 1}\n',
    ],
    ids=lambda line: repr(line[:30]),
)
def test_a_line_that_is_no_request_is_answered_without_a_seq(line: bytes) -> None:
    assert refusal(line)["seq"] is None


@pytest.mark.parametrize("filler", [b" ", b"x"])
def test_a_line_that_is_too_long_is_read_past(filler: bytes) -> None:
    line = json.dumps(HELLO).encode() + filler * (2 * MAX_LINE_BYTES) + b"\n"

    assert "16777216" in refusal(line)["reason"]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({}, "`command` must be a text, it is missing"),
        ({"command": 1}, "`command` must be a text, not an integer"),
        ({"command": "sing"}, "unknown command 'sing': hello, prepare, witness, measure, stop are known"),
        ({"command": "hello"}, "`protocol` must be an integer, it is missing"),
        ({"command": "hello", "protocol": "1"}, "`protocol` must be an integer, not a text"),
        ({"command": "hello", "protocol": 2}, "protocol 2 was asked for, this probe speaks 1"),
        ({"command": "prepare"}, "`operation` must be a text, it is missing"),
        ({"command": "prepare", "operation": "dance"}, "unknown operation 'dance'"),
        ({"command": "prepare", "operation": "sign", "parameters": [1]}, "`parameters` must be an object"),
        ({"command": "prepare", "operation": "sign", "parameters": {"layer": 1}}, "`parameters` must be an"),
        (
            {"command": "prepare", "operation": "empty", "inputs": {"claims": {}}},
            "`inputs` must be an object",
        ),
        ({"command": "prepare", "operation": "sign"}, "the parameter 'algorithm' is missing"),
        ({"command": "prepare", "operation": "sign\ud800"}, "`operation` holds half a character"),
        ({"command": "prepare", "operation": "sign", "inputs": {"a\ud800": ""}}, "`inputs` holds half a"),
        ({"command": "witness", "present": []}, "no operation is prepared"),
        ({"command": "measure", "count": 1}, "no operation is prepared"),
    ],
)
def test_a_bad_member_is_named(members: Reply, reason: str) -> None:
    assert refusal({"seq": 1, **members})["reason"].startswith(reason)


@pytest.mark.parametrize("count", [0, -1, "5", 1.5, True, None, [], {}, 10**30])
@pytest.mark.parametrize("each", [False, True])
def test_a_count_that_is_no_count_is_refused(count: object, each: bool) -> None:
    reply = refusal(prepare("sign", EDDSA, "primitive"), measure(count, each=each))

    assert reply["reason"].startswith("`count` must be ")


@pytest.mark.parametrize(
    "members", [{"settle": -1}, {"settle": "1"}, {"each": 1}, {"each": "no"}, {"each": None}]
)
def test_settle_and_each_have_their_types(members: Reply) -> None:
    reply = refusal(prepare("sign", EDDSA, "primitive"), measure(1, **members))

    assert next(iter(members)) in reply["reason"]


def test_more_single_timings_than_a_line_holds_are_refused_before_they_are_run() -> None:
    request = measure(MOST_SINGLE_TIMINGS + 1, each=True)

    assert "1000000" in refusal(prepare("sign", EDDSA, "primitive"), request)["reason"]


@pytest.mark.parametrize("present", ["a.b.c", [1], None, [None], {}, ["\ud800"]])
def test_artefacts_are_a_list_of_texts(present: object) -> None:
    request = {"seq": 2, "command": "witness", "present": present}

    assert "present" in refusal(prepare("sign", EDDSA, "primitive"), request)["reason"]


@pytest.mark.parametrize("member", ["layer", "key_use"])
@pytest.mark.parametrize("value", ["", "RS257", "none", "parsed-never"])
def test_an_unknown_level_is_no_quiet_default(member: str, value: str) -> None:
    request = prepare("sign", RS256, "primitive")
    request["parameters"][member] = value

    assert refusal(request)["reason"].startswith(f"unknown {member} '{value}'")


def test_an_algorithm_that_others_have_is_skipped() -> None:
    request = prepare("sign", RS256, "primitive")
    request["parameters"]["algorithm"] = "RS257"
    (reply,) = say(request)

    assert (reply["status"], reply["reason"]) == ("skipped", "not in cryptography")


def test_a_parameter_that_would_be_passed_over_is_refused() -> None:
    request = prepare("sign", RS256, "primitive")
    request["parameters"]["padding"] = "pss"

    assert refusal(request)["reason"] == "unknown parameter 'padding'"


@pytest.mark.parametrize("layer", ["primitive", "library"])
@pytest.mark.parametrize(
    ("operation", "member", "value"),
    [
        ("sign", "private_key_pem", ""),
        ("sign", "private_key_pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
        ("sign", "private_key_pem", RS256.keys["public_key_pem"]),
        ("sign", "private_key_pem", "ключ"),
        ("sign", "public_key_pem", "no pem"),
        ("verify", "public_key_pem", RS256.keys["private_key_pem"]),
        ("verify", "token", ""),
        ("verify", "token", "a.b"),
        ("verify", "token", "no.token.!"),
    ],
)
def test_an_input_that_does_not_fit_is_named_and_not_quoted(
    layer: str, operation: str, member: str, value: str
) -> None:
    reason = refusal(prepare(operation, RS256, layer, **{member: value}))["reason"]

    assert member in reason or "malformed" in reason
    assert "BEGIN" not in reason


@pytest.mark.parametrize("layer", ["primitive", "library"])
@pytest.mark.parametrize("secret", ["", "short!", "A", "AB=="])
def test_a_secret_is_strict_base64url(layer: str, secret: str) -> None:
    assert "secret" in refusal(prepare("sign", HS256, layer, secret=secret))["reason"]


@pytest.mark.parametrize("claims", ["", "[]", "{", "no json", "null"])
def test_claims_are_a_json_object(claims: str) -> None:
    assert "claims" in refusal(prepare("sign", EDDSA, "library", claims=claims))["reason"]


@pytest.mark.parametrize("layer", ["primitive", "library"])
@pytest.mark.parametrize("key_use", ["parsed-once", "parsed-per-call"])
def test_a_mislabelled_key_is_refused(layer: str, key_use: str) -> None:
    p384 = pem_inputs(ec.generate_private_key(ec.SECP384R1()))
    of_ed448 = pem_inputs(ed448.Ed448PrivateKey.generate())
    of_dsa = pem_inputs(dsa.generate_private_key(1024))
    for operation, vector, keys, reason in (
        ("sign", ES256, p384, "ES256 takes EC P-256 keys, this one is EC P-384"),
        ("verify", EDDSA, RS256.keys, "EdDSA takes OKP Ed25519 keys, this one is RSA"),
        ("sign", EDDSA, of_ed448, "EdDSA takes OKP Ed25519 keys, this one is OKP Ed448"),
        ("sign", EDDSA, of_dsa, "no key for EdDSA"),
        ("verify", EDDSA, of_dsa, "no key for EdDSA"),
    ):
        assert refusal(prepare(operation, vector, layer, key_use, **keys))["reason"] == reason


def test_a_call_that_raises_what_is_no_refusal_fails_the_measurement() -> None:
    claims = '{"iss": 5}'  # PyJWT wants a text

    reason = refusal(prepare("sign", EDDSA, "library", claims=claims), measure())["reason"]

    assert reason.startswith("the operation raised TypeError: ")
