"""Nothing but what was signed is let in."""

from __future__ import annotations

import base64
import random

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmac_authorizer.authorizer import handler
from hmac_authorizer.settings import EXPIRY, read
from tests.invoke import GENUINE, KEY, NOT_GENUINE, VECTORS, invoke, signed

DATA = base64.b64encode(msgpack.packb({"a": 123, "b": 456, "obj": bytes(40)})).decode()
EVENT = signed(DATA)


def flipped(text: str, bit: int) -> str:
    spoiled = bytearray(text.encode())
    spoiled[bit // 8] ^= 1 << bit % 8
    return spoiled.decode("latin-1")


def test_the_event_itself_is_genuine() -> None:
    assert invoke(EVENT) == GENUINE


@pytest.mark.parametrize("field", ["key", "token", "data"])
@pytest.mark.parametrize("payload", ["unpack", "opaque"])
def test_every_single_bit_counts(field: str, payload: str) -> None:
    answer = handler(read({"SHARED_KEY": KEY, "PAYLOAD": payload}))
    let_in = [
        bit
        for bit in range(8 * len(EVENT[field]))
        if answer(EVENT | {field: flipped(EVENT[field], bit)}, None) == GENUINE
    ]

    assert let_in == []


def test_a_swapped_salt_and_a_wrong_token_get_the_same_answer() -> None:
    other = signed(DATA, salt="ffeeddccbbaa99887766554433221100")

    assert invoke(EVENT | {"key": other["key"]}) == NOT_GENUINE
    assert invoke(EVENT | {"token": other["token"]}) == NOT_GENUINE
    assert invoke(other) == GENUINE


@pytest.mark.parametrize("length", range(128))
def test_a_token_cut_short_is_refused(length: int) -> None:
    assert invoke(EVENT | {"token": EVENT["token"][:length]})["isAuthorized"] is False


def test_a_thousand_random_tamperings_are_refused() -> None:
    chance = random.Random(7)
    for _ in range(1000):
        event = dict(EVENT)
        while event == EVENT:
            field = chance.choice(["key", "token", "data"])
            text = event[field]
            at, end = sorted(chance.choices(range(len(text) + 1), k=2))
            event[field] = chance.choice(
                [
                    text[:at] + text[end:],
                    text[:at] + text[at:end][::-1] + text[end:],
                    text[:at] + text[at:end] + text[at:],
                    text[:at] + chance.choice("0123456789abcdefABCDEF+/= \0é") + text[at + 1 :],
                    event[chance.choice(["key", "token", "data"])],
                ]
            )

        assert invoke(event)["isAuthorized"] is False, event


@given(obj=st.binary(max_size=300), a=st.integers(0, 2**63 - 1), salt=st.text("0123456789abcdef", min_size=1))
def test_whatever_is_signed_is_let_in_and_with_another_key_it_is_not(obj: bytes, a: int, salt: str) -> None:
    data = base64.b64encode(msgpack.packb({"a": a, "b": -1, "obj": obj})).decode()

    event = signed(data, salt=salt[:128])

    assert invoke(event) == GENUINE
    assert invoke(event, SHARED_KEY=KEY + "x") == NOT_GENUINE


@given(seconds=st.integers(-(2**31), 2**40))
def test_signed_data_are_let_in_until_they_expire(seconds: int) -> None:
    packed = msgpack.packb({"a": 1, "b": 2, "obj": b"", "expires": seconds})
    answer = invoke(signed(base64.b64encode(packed).decode()), TREATMENT=EXPIRY)

    assert answer["isAuthorized"] is (seconds > VECTORS["now"])
