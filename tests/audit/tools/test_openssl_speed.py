"""`openssl speed`: its tables."""

from __future__ import annotations

import pytest

from sectax.audit.form import Moves, Quantity
from tests.audit.tools.said import evidence_of, said, sample

AES, SIGNATURES = sample("openssl-aes.txt"), sample("openssl-signatures.txt")


def test_a_table_has_a_throughput_for_each_size() -> None:
    first, *_, last = evidence_of(AES).series

    assert (first.levels, first.quantity) == ({"type": "AES-128-GCM", "size": "16 bytes"}, Quantity.BANDWIDTH)
    assert (first.typical, first.claims[0].step) == pytest.approx((47308250, 10))
    assert (last.work.size_bytes, last.work.moves) == (16384, Moves.BODY)
    assert last.setting.library == "OpenSSL 3.0.19"


def test_signatures_have_a_rate_for_each_operation() -> None:
    sign, verify, *_, edwards = evidence_of(SIGNATURES).series

    assert sign.levels == {"algorithm": "rsa 2048 bits", "operation": "sign"}
    assert (sign.typical, verify.typical, sign.setting.key_bits) == (4102, 61460, 2048)
    assert edwards.id == "253 bits EdDSA (Ed25519), verify"
    assert ("F", "contradiction") in said(SIGNATURES.replace("0.000244s", "0.000344s"))
    assert ("F", "contradiction") not in said(SIGNATURES)


def test_the_sizes_of_several_processes_are_those_of_their_lines() -> None:
    assert [one.work.size_bytes for one in evidence_of(sample("openssl-multi.txt")).series][:2] == [16, 64]


def test_a_clock_that_goes_backwards_and_a_missing_engine_are_failures() -> None:
    assert ("F", "said-by-the-tool") in said(AES.replace("47308.25k", "-47308.25k"))
    assert ("F", "said-by-the-tool") in said(f'invalid engine "padlock"\n{AES}')
    assert ("W", "said-by-the-tool") in said(f"{AES}\nAES-128-GCM: Unknown algorithm")
