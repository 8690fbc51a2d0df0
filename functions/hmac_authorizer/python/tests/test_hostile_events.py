"""Whatever comes gets an answer in words: no exception leaves the function, however large or odd the event is."""

from __future__ import annotations

import base64
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmac_authorizer.event import LONGEST_DATA_BYTES
from tests.invoke import VECTORS, invoke, signed

MIB = 2**20
REASONS = {case["answer"].get("reason") for case in VECTORS["cases"]} | {"`data` is longer than 6291456 bytes"}
NO_MAP = "`data` holds no MessagePack map of a, b, obj"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=200),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(event=JSON, payload=st.sampled_from(["unpack", "opaque"]))
def test_any_json_is_refused_in_words(event: object, payload: str) -> None:
    assert invoke(event, PAYLOAD=payload)["reason"] in REASONS


@given(key=JSON, token=JSON | st.text("0123456789abcdef", min_size=128, max_size=128), data=JSON)
def test_any_fields_are_refused_in_words(key: object, token: object, data: object) -> None:
    assert invoke({"key": key, "token": token, "data": data})["reason"] in REASONS


@given(raw=st.binary(max_size=200))
def test_any_signed_bytes_get_an_answer(raw: bytes) -> None:
    answer = invoke(signed(base64.b64encode(raw).decode()))

    assert answer["isAuthorized"] is True or answer["reason"] == NO_MAP


@given(text=st.text(max_size=100))
def test_any_signed_text_gets_an_answer(text: str) -> None:
    assert invoke(signed(text), PAYLOAD="opaque") == {"isAuthorized": True}
    assert invoke(signed(text))["reason"] in {NO_MAP, "`data` is not Base64"}


@pytest.mark.parametrize("half", ["\ud800", "a\udc80b"])
@pytest.mark.parametrize("field", ["key", "data"])
def test_half_a_character_is_refused(field: str, half: str) -> None:
    assert invoke(signed("AAAA") | {field: half})["reason"] == f"`{field}` is no valid Unicode"


HOSTILE = {
    "lists in lists": b"\x91" * 3 * MIB,
    "maps in maps": b"\x81\xa1a" * MIB,
    "maps of three in maps of three": b"\x83\xa1a\x01\xa1b\x02\xa3obj" * 300_000,
    "a map with two hundred thousand names": b"\xdf\x00\x03\x0d\x40" + b"\xa1a\x01" * 200_000,
    "a list of empty lists": b"\xdd\x00\x2f\xff\xfb" + b"\x90" * (3 * MIB - 5),
    "a list that claims 4 Gi entries": b"\xdd\xff\xff\xff\xff" + b"\x90" * MIB,
    "a map that claims 4 Gi entries": b"\xdf\xff\xff\xff\xff" + b"\xa1a\x01" * MIB,
    "a name that claims 4 GiB": b"\x83\xdb\xff\xff\xff\xff" + b"a" * 3 * MIB,
    "a binary that claims 4 GiB": b"\x83\xa1a\x01\xa1b\x02\xa3obj\xc6\xff\xff\xff\xff" + bytes(3 * MIB),
    "a long text for a number": b"\x83\xa1a\xdb\x00\x30\x00\x00" + b"1" * 3 * MIB,
    "text that is no UTF-8": b"\x83\xa1a\xa3\xff\xfe\xfd",
    "nothing but 0xc1": b"\xc1" * 3 * MIB,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_messagepack_is_refused_and_takes_no_memory_that_it_claims(name: str) -> None:
    event = signed(base64.b64encode(HOSTILE[name]).decode())
    tracemalloc.start()
    try:
        answer = invoke(event)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert answer["reason"] == NO_MAP
    # The event as JSON, as text, as bytes, and what is behind the Base64: five times what came, and not 4 GiB.
    assert peak < 40 * MIB


@pytest.mark.parametrize("size", [LONGEST_DATA_BYTES, LONGEST_DATA_BYTES + 1])
def test_data_of_six_mebibytes_are_the_most(size: int) -> None:
    answer = invoke(signed("A" * size), PAYLOAD="opaque")

    assert answer["isAuthorized"] is (size == LONGEST_DATA_BYTES)


def test_an_event_of_a_million_unknown_fields_is_refused() -> None:
    event: dict[str, object] = {f"{number:x}": None for number in range(400_000)}

    assert invoke(event | signed("AAAA"))["reason"] == "the event has a field besides `key`, `token` and `data`"


def test_deep_json_within_what_the_runtime_parses_is_refused() -> None:
    deep = json.loads("[" * 900 + "]" * 900)

    assert invoke(deep)["reason"] == "the event is no JSON object"
    assert invoke(signed("AAAA") | {"data": deep})["reason"] == "`data` is no text"
