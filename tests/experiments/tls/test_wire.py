"""What both ends agreed on is read from bytes: whoever says otherwise is found out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.experiments.tls import wire
from sectax.experiments.tls.levels import SHARES

_CODES = {name: code for code, name in wire.GROUPS.items()}
_RETRY = wire._RETRY


def share(group: str, size: int) -> bytes:
    return _CODES[group].to_bytes(2) + size.to_bytes(2) + bytes(size)


def record(kind: int, body: bytes) -> bytes:
    message = bytes([kind]) + len(body).to_bytes(3) + body
    return b"\x16\x03\x03" + len(message).to_bytes(2) + message


def extensions(content: bytes) -> bytes:
    one = (51).to_bytes(2) + len(content).to_bytes(2) + content
    return len(one).to_bytes(2) + one


def client_hello(*shares: bytes) -> bytes:
    offered = b"".join(shares)
    fixed = b"\x03\x03" + bytes(32) + b"\x00" + b"\x00\x02\x13\x01" + b"\x01\x00"
    return record(1, fixed + extensions(len(offered).to_bytes(2) + offered))


def server_hello(content: bytes, random: bytes = bytes(32)) -> bytes:
    return record(2, b"\x03\x03" + random + b"\x00" + b"\x13\x01\x00" + extensions(content))


@pytest.mark.parametrize("group", SHARES)
def test_the_group_and_the_sizes_of_its_shares_are_read(group: str) -> None:
    up, down = SHARES[group]

    seen = wire.witnesses(client_hello(share(group, up)), server_hello(share(group, down)))

    assert seen == {"group_on_wire": group, "key_share_bytes": f"{up} up, {down} down", "hello_retry": False}


def test_of_two_offers_the_one_that_was_taken_counts_and_a_second_hello_is_seen() -> None:
    hello = client_hello(share("X25519MLKEM768", 1216), share("X25519", 32))
    retry = server_hello(_CODES["P-256"].to_bytes(2), _RETRY)

    taken = wire.witnesses(hello, server_hello(share("X25519", 32)))
    again = wire.witnesses(client_hello(share("X25519", 32)), retry + server_hello(share("P-256", 65)))

    assert taken["key_share_bytes"] == "32 up, 32 down"
    assert (again["hello_retry"], again["group_on_wire"]) == (True, "P-256")


def test_the_key_exchange_of_tls12_is_read() -> None:
    exchange = record(12, b"\x03" + _CODES["P-256"].to_bytes(2) + b"\x41" + bytes(65) + b"signature")
    hello = record(2, b"\x03\x03" + bytes(32) + b"\x00" + b"\xc0\x2b\x00")

    seen = wire.witnesses(client_hello(), hello + exchange)

    assert seen["group_on_wire"] == "P-256"
    assert seen["key_share_bytes"] == "65 up, 65 down"


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_other_bytes_are_not_tls_and_no_fault_of_ours(wrote: bytes, read: bytes) -> None:
    with pytest.raises(wire.NotTls):
        wire.witnesses(b"\x00" + wrote, read)


@given(st.integers(0, 200))
def test_a_hello_that_is_cut_is_not_tls(length: int) -> None:
    whole = client_hello(share("X25519", 32))
    if length < len(whole):
        with pytest.raises(wire.NotTls):
            wire.witnesses(whole[:length], server_hello(share("X25519", 32)))
