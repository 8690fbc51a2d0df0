"""A processor's instructions for cryptography are named as people call them, and guessed nowhere."""

from __future__ import annotations

import pytest

from sectax.hosts.process import host


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("flags\t\t: fpu aes pclmulqdq sha_ni avx2 hypervisor\n", "AES-NI PCLMULQDQ AVX2 SHA-NI"),
        ("flags\t\t: fpu aes vaes vpclmulqdq avx512f\n", "AES-NI VAES VPCLMULQDQ AVX-512"),
        ("Features\t: fp asimd aes pmull sha1 sha2 sha512\n", "AES PMULL SHA2 SHA512"),
        ("flags\t\t: fpu sse2 aesthetic\n", None),
        ("", None),
    ],
)
def test_what_the_kernel_names_is_recorded(tmp_path, monkeypatch, text, named):
    file = tmp_path / "cpuinfo"
    file.write_text(text)
    monkeypatch.setattr(host, "_CPUINFO", file)

    words = host.host_identity().get("host.cryptography")

    assert (None if words is None else set(words.split())) == (None if named is None else set(named.split()))
