"""What outputs of `openssl speed` tell in passing: each with one in which the same is well."""

from __future__ import annotations

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read

OPENSSL_MR = """+DTP:2048:private:rsa sign:10
+R1:22200:2048:10.00
+F2:2:2048:2220.300000:77590.400000:73102.400000:2201.300000
+F7:0:256:CurveSM2:3000.000000:2500.000000
+R15:100:ML-KEM-768:0.01
+R16:200:ML-KEM-768:0.01
+R15:300:X25519:0.01
+F9:0:10448.000000:5646.000000:12261.000000
+F9:4:20448.000000:6646.000000:13261.000000
+R18:100:mldsa87:0.01
+F10:3:448.000000:646.000000:261.000000
"""


def test_every_line_of_openssls_machine_readable_form_is_read() -> None:
    rates = {figure.id: figure.value for figure in read(OPENSSL_MR).figures}

    assert rates["2048 bits rsa, decrypt"] == 2201.3
    assert rates["256 bits SM2 (CurveSM2), verify"] == 2500
    assert rates["ML-KEM-768, encaps"] == 5646
    assert rates["X25519, keygen"] == 20448
    assert rates["mldsa87, signs"] == 646
    assert len(rates) == 4 + 2 + 6 + 3


@pytest.mark.parametrize(
    "line",
    [
        "RSA sign failure",
        "ECDH computations don't match.",
        "Error while initialising EVP_PKEY_CTX.",
        "Encaps error for mlkem768.",
        "EVP error!",
        "SIG verify failure at count 3",
        "WARNING: the error queue contains previous unhandled errors.",
        "Child terminated by signal 9",
        "aes-128-cbc is not an AEAD cipher",
        "speed: Unknown algorithm sha257",
    ],
)
def test_what_openssl_says_of_its_failures_is_heard(line: str) -> None:
    assert said(read(f"{OPENSSL_MR}{line}\n"))["said-by-the-tool"][0] == "W"
    flags = "compiler: gcc -Wformat -Werror=format-security -DERROR_FOR\n"
    assert "said-by-the-tool" not in said(read(OPENSSL_MR + flags))


def test_openssl_with_four_operations_in_a_row_is_read() -> None:
    text = (
        "                  sign    verify    encrypt   decrypt   sign/s verify/s  encr./s  decr./s\n"
        "rsa  2048 bits 0.000790s 0.000015s 0.000016s 0.000800s   1265.8  66666.7  62500.0   1250.0\n"
    )

    assert {figure.levels["operation"]: figure.value for figure in read(text, "openssl-speed").figures} == {
        "sign": 1265.8, "verify": 66666.7, "encrypt": 62500.0, "decrypt": 1250.0
    }  # fmt: skip


def test_rows_of_two_kinds_of_core_are_told() -> None:
    rows = "type             16 bytes     64 bytes\naes-128-cbc     865259.48k  1740217.11k (Cortex-A720)\n"
    slow = "aes-128-cbc     181661.84k   440501.14k (Cortex-A520)\n"

    assert "two processors" in said(read(rows + slow))["contradiction"][1].replace("2 ", "two ")
    assert "contradiction" not in said(read(rows))


@pytest.mark.parametrize("rate", ["1e-320", "1e-200", "0.0"])
def test_a_rate_of_next_to_nothing_is_held_against_no_time(rate: str) -> None:
    """It was an error of the program: no float is one over its square."""
    row = f"rsa 2048 bits 0.000500s 0.000015s {rate} 66666.7"
    text = f"version: 3.0.19\n{' ' * 18}sign    verify    sign/s verify/s\n{row}\n"

    assert "contradiction" not in said(read(text))


def test_rows_of_the_smallest_and_the_largest_numbers_are_compared() -> None:
    """It was an error of the program: their ratio is no float."""
    head = "version: 3.0.19\nThe 'numbers' are in 1000s of bytes per second processed.\n"
    sizes = "type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes\n"
    row = "".join(f" {each:>11}k" for each in ("1e-320", "2.00", "3.00", "4.00", "5.00", "1e140"))

    assert "faster-than-physics" in said(read(f"{head}{sizes}sha256      {row}\nsha512      {row}\n"))
