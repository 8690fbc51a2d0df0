"""What CPUID says of a guest, from leaves as the manuals have them; no confidential guest was ever seen here."""

from __future__ import annotations

import pytest

from sectax.experiments.confidential.cpuid import technology, witnesses, words


def text(name: str) -> list[int]:
    return [int.from_bytes(name.encode()[at : at + 4], "little") for at in (0, 4, 8)]


GUEST = {1: (0, 0, 1 << 31, 0)}
KVM = GUEST | {0x40000000: (0x40000001, *text("KVMKVMKVM\0\0\0"))}
_b, _d, _c = text("IntelTDX    ")
TDX = KVM | {0x21: (0, _b, _c, _d)}
HYPERV = GUEST | {0x40000000: (0x4000000C, *text("Microsoft Hv")), 0x40000003: (0, 1 << 22, 0, 0)}
AZURE_SNP = HYPERV | {0x4000000C: (0, 2, 0, 0)}
AZURE_TDX = HYPERV | {0x4000000C: (0, 3, 0, 0)}
SHOWS_SEV = KVM | {0x8000001F: (0b11010, 0, 0, 0)}


@pytest.mark.parametrize(
    ("leaves", "wanted"),
    [
        (KVM, None),
        (TDX, "tdx"),
        (AZURE_SNP, "sev-snp"),
        (AZURE_TDX, "tdx"),
        (HYPERV | {0x4000000C: (0, 1, 0, 0)}, None),  # isolated by software alone
        (SHOWS_SEV, None),  # what the processor can do is not what this guest has
        ({}, None),
    ],
)
def test_the_technology_is_read_where_cpuid_names_it(leaves, wanted):
    assert technology(leaves) == wanted


def test_the_words_name_the_hypervisor_and_what_shows(agreed):
    agreed(words(SHOWS_SEV), words(AZURE_SNP), words({0: (1, 0, 0, 0)}))


NONE = {"memory_encryption": "none", "confidential": False}


@pytest.mark.parametrize(
    ("leaves", "kernel", "known"),
    [
        (TDX, {"kernel": "6.8"}, {"memory_encryption": "tdx", "confidential": True}),
        (TDX, NONE, {}),  # they contradict each other
        ({}, NONE, NONE),  # there is no probe
    ],
)
def test_kernel_and_cpuid_together_say_what_is_known(leaves, kernel, known):
    witnessed = witnesses(leaves, kernel)

    assert {name: value for name, value in witnessed.items() if name in NONE} == known
