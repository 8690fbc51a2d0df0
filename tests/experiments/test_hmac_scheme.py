"""The tokens are those of the standards and of the study, and nothing else is genuine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax import published
from sectax.experiments.hmac import events
from sectax.experiments.hmac.events import SCHEMES, is_genuine, token

FUNCTION = Path(__file__).parents[2] / "functions" / "hmac_authorizer"
VECTORS = json.loads((FUNCTION / "vectors.json").read_text())
KEY = b"a key that only these tests know"
NOW = 1_800_000_000
NOT_AN_EVENT = events.refusal("hmac-sha512", KEY, b"", NOW).partition(": ")[0]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=99),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)


def refusal(event: object, variant: str = "hmac-sha512") -> str:
    return events.refusal(variant, KEY, msgspec.json.encode(event), NOW)


def signed(data: str, variant: str = "hmac-sha512") -> events.Event:
    return events.signed(variant, KEY, "00112233445566778899aabbccddeeff", data)


@pytest.mark.parametrize("vector", VECTORS["macs"], ids=lambda one: f"{one['treatment']}: {one['source']}")
def test_the_macs_are_those_of_the_standards(vector):
    mac = SCHEMES[vector["treatment"]].mac(bytes.fromhex(vector["key"]), bytes.fromhex(vector["data"]))

    assert mac.hex() == vector["mac"]


@pytest.mark.parametrize("number", [0, 1])
def test_the_study_s_printed_tokens_are_ours(number):
    vector = published.load("hmac-lambda-2023").vectors[number]
    inputs = [str(vector.given[name]).encode() for name in ("shared_key", "salt", "data")]

    assert token(SCHEMES["hmac-sha512"], *inputs) == vector.result


@pytest.mark.parametrize("treatment", events.VARIANTS)
def test_the_function_s_genuine_events_are_genuine_here_and_its_tampered_ones_are_not(treatment):
    cases = [case for case in VECTORS["cases"] if case["name"].startswith(f"{treatment}: ")]

    assert len(cases) == 7
    for case in cases:
        key, event = case["environment"]["SHARED_KEY"].encode(), msgspec.json.encode(case["event"])
        assert (events.refusal(treatment, key, event, NOW) == "") is case["answer"]["isAuthorized"], case["name"]


@given(key=st.binary(min_size=1, max_size=200), salt=st.text(min_size=1, max_size=20), data=st.text(max_size=200))
def test_signatures_match_the_standard_library(key, salt, data):
    derived = hmac.new(key, salt.encode(), hashlib.sha512).hexdigest().encode()
    expected = hmac.new(derived, data.encode(), hashlib.sha512).hexdigest()

    assert events.signed("hmac-sha512", key, salt, data).token == expected


@given(variant=st.sampled_from(sorted(SCHEMES)), data=st.text(max_size=200), other=st.binary(min_size=1, max_size=99))
def test_signed_events_verify_only_with_their_key(variant, data, other):
    event = msgspec.json.encode(signed(data, variant))

    assert events.refusal(variant, KEY, event, NOW) == ""
    # In front: behind it, zero bytes would make no other key (HMAC fills short keys up with them).
    assert events.refusal(variant, other + KEY, event, NOW) != ""


@pytest.mark.parametrize("variant", sorted(SCHEMES))
def test_every_single_bit_counts(variant):
    scheme, salt, data = SCHEMES[variant], b"00112233445566778899aabbccddeeff", b"some data that are signed"
    good = token(scheme, KEY, salt, data)
    assert is_genuine(scheme, KEY, salt, data, good)

    def flips(message: bytes) -> list[bytes]:
        flipped = [int.from_bytes(message) ^ 1 << bit for bit in range(8 * len(message))]
        return [number.to_bytes(len(message)) for number in flipped]

    assert not any(is_genuine(scheme, KEY, salt, spoiled, good) for spoiled in flips(data))
    assert not any(is_genuine(scheme, KEY, spoiled, data, good) for spoiled in flips(salt))
    assert not any(is_genuine(scheme, KEY, salt, data, bad.decode("latin-1")) for bad in flips(good.encode()))
    assert not any(is_genuine(scheme, KEY, salt, data, good[:length]) for length in range(len(good)))


def test_a_thousand_random_tamperings_are_refused():
    chance = random.Random(11)
    good = msgspec.json.encode(signed("data that are signed"))
    for _ in range(1000):
        spoiled = good
        while spoiled == good:
            at, end = sorted(chance.choices(range(len(good) + 1), k=2))
            spoiled = chance.choice(
                [
                    good[:at] + good[end:],
                    good[:at] + good[at:end][::-1] + good[end:],
                    good[:at] + good[at:end] * 2 + good[end:],
                    good[:at] + bytes([chance.randrange(256)]) + good[at + 1 :],
                ]
            )

        assert events.refusal("hmac-sha512", KEY, spoiled, NOW) != "", spoiled


@given(content=st.binary(max_size=300) | JSON.map(msgspec.json.encode))
def test_any_bytes_and_any_json_are_refused_in_words(content):
    assert events.refusal("hmac-sha512", KEY, content, NOW).startswith(NOT_AN_EVENT)


MIB = 2**20
HOSTILE_EVENTS = {
    "deep lists": b"[" * 6 * MIB,
    "deep objects": b'{"key":' * MIB,
    "deep data": b'{"key":"a","token":"b","data":' + b"[" * 3 * MIB,
    "a million fields": b"{" + b",".join(b'"%x":0' % number for number in range(400_000)) + b"}",
    "half a character": b'{"key":"\\ud800","token":"b","data":"c"}',
    "no UTF-8": b'{"key":"\xff","token":"b","data":"c"}',
    "a field twice, and one missing": b'{"key":"a","key":"a","token":"b"}',
    "a field twice": b'{"data":"x",' + msgspec.json.encode(signed("c"))[1:],
    "two documents": b'{"key":"a","token":"b","data":"c"}' * 2,
}


@pytest.mark.parametrize("name", HOSTILE_EVENTS)
def test_hostile_events_are_refused_in_words(name):
    assert events.refusal("hmac-sha512", KEY, HOSTILE_EVENTS[name], NOW).startswith(NOT_AN_EVENT)


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\x91" * 3 * MIB,
        b"\x81\xa1a" * MIB,
        b"\xdf\xff\xff\xff\xff",
        b"\x84\xa1a\x01\xa1b\x02\xa3obj\xc6\xff\xff\xff\xff" + bytes(3 * MIB),
        b"\x83\xa1a\x01\xa1b\x02\xa3obj\xc4\x00",
    ],
    ids=lambda packed: packed[:6].hex() or "nothing",
)
def test_signed_data_that_hold_no_expiry_are_refused_where_one_is_asked_for(packed):
    event = signed(base64.b64encode(packed).decode())

    assert refusal(event) == ""
    assert refusal(event, events.EXPIRY)


@pytest.mark.parametrize(("expires", "good"), [(NOW + 1, True), (NOW, False), (-1, False)])
def test_data_are_good_until_they_expire(expires, good):
    assert (refusal(signed(events.payload(b"x", expires)), events.EXPIRY) == "") is good


def test_the_payload_is_the_study_s_map_byte_by_byte():
    packed = base64.b64decode(events.payload(bytes(10240)))

    assert packed == bytes.fromhex("83 a161 7b a162 cd01c8 a36f626a c52800") + bytes(10240)
