"""`openssl speed`: tables and steps."""

from __future__ import annotations

import pytest

from sectax.audit.form import Moves, Quantity
from tests.audit.tools.said import evidence_of, said, sample

AES, SIGNATURES = sample("openssl-aes.txt"), sample("openssl-signatures.txt")
STEPS = """Doing sha256 for 3s on 16 size blocks: 13208917 sha256's in 2.99s
Doing sha256 for 3s on 64 size blocks: 10106531 sha256's in 3.00s
type             16 bytes     64 bytes
sha256           70683.77k   215605.99k (Cortex-A72)
"""


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


def test_a_step_that_took_a_thousand_times_as_long_as_asked_is_no_measurement() -> None:
    step = "Doing 256 bits  ecdh's for 3s: 55540 256-bits ECDH ops in {:.2f}s\n                op      op/s\n"
    healthy = f"{step.format(3)} 256 bits ecdh (nistp256)   0.0001s  18513.3\n"
    wrong = f"{step.format(4103)} 256 bits ecdh (nistp256)   0.0739s     13.5\n"

    assert ("F", "contradiction") in said(wrong)
    assert ("F", "contradiction") not in said(healthy)


def test_the_sizes_of_several_processes_are_those_of_their_lines() -> None:
    assert [one.work.size_bytes for one in evidence_of(sample("openssl-multi.txt")).series][:2] == [16, 64]


def test_a_throughput_must_be_that_of_its_step() -> None:
    small, _ = evidence_of(STEPS).series

    assert (small.work.operations, small.work.duration_s, small.setting.processor) == (13208917, 2.99, "Cortex-A72")
    assert ("F", "contradiction") in said(STEPS.replace("215605.99k", "255605.99k"))
    assert ("F", "contradiction") not in said(STEPS)


def test_a_clock_that_goes_backwards_and_a_missing_engine_are_failures() -> None:
    assert ("F", "said-by-the-tool") in said(AES.replace("47308.25k", "-47308.25k"))
    assert ("F", "said-by-the-tool") in said(f'invalid engine "padlock"\n{AES}')
    assert ("W", "said-by-the-tool") in said(f"{AES}\nAES-128-GCM: Unknown algorithm")
