"""What a host says of itself is judged from devices and kernel messages; no such guest was ever seen here."""

from __future__ import annotations

import os

import pytest

from sectax.hosts.facts import add_judgements, collect, isolation, memory_encryption, read
from sectax.hosts.registry import host

FROM_START = "from the start"


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({"seen.encryption": "[    0.77] Memory Encryption Features active: AMD SEV"}, "sev"),
        ({"seen.encryption": "[    0.77] Memory Encryption Features active: AMD SEV SEV-ES"}, "sev-es"),
        ({"seen.encryption": "[    0.77] Memory Encryption Features active: AMD SEV SEV-ES SEV-SNP"}, "sev-snp"),
        ({"seen.encryption": "[    0.77] Memory Encryption Features active: AMD SME"}, "none"),
        ({"seen.devices": "/dev/sev-guest"}, "sev-snp"),
        ({"seen.devices": "/dev/tdx_guest"}, "tdx"),
        ({"seen.flags": "hypervisor tdx_guest"}, "tdx"),
        ({"seen.encryption": "[    0.00] tdx: Guest detected"}, "tdx"),
        ({"seen.devices": "/sys/devices/platform/arm-cca-dev"}, "cca"),
        ({"seen.encryption": "[    0.00] RME: Using RSI version 1.0"}, "cca"),
        ({"seen.devices": "/sys/devices/platform/arm-smccc/arm_cca_guest.arm-rsi-dev.0"}, "cca"),
        ({"seen.kernel_messages": FROM_START, "seen.flags": "hypervisor"}, "none"),
        # SEV shows only in messages of the kernel's start: without them nothing is known.
        ({"seen.kernel_messages": "not from the start"}, None),
        ({}, None),
        ({"seen.kernel_messages": "gVisor"}, None),
    ],
)
def test_the_encryption_of_a_guest_is_read_from_what_only_such_a_guest_has(said, wanted):
    assert memory_encryption(said) == wanted
    assert add_judgements(said).get("host.memory_encryption") == wanted


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({"seen.pid": "4711"}, "none"),
        ({"seen.pid": "4711", "seen.seccomp": "2"}, "seccomp"),
        ({"seen.pid": "1", "seen.seccomp": "0"}, "container"),
        ({"seen.pid": "1", "seen.seccomp": "2"}, "container+seccomp"),
        ({"seen.pid": "1", "seen.apparmor": "docker-default (enforce)"}, "container+apparmor"),
        ({"seen.pid": "1", "seen.seccomp": "2", "seen.apparmor": "own (enforce)"}, "container+seccomp+apparmor"),
        ({"seen.pid": "1", "seen.apparmor": "unconfined"}, "container"),
        ({"seen.pid": "1", "seen.apparmor": "docker-default (complain)"}, "container"),
        ({"seen.pid": "1", "seen.kernel_messages": "gVisor"}, "gvisor"),
        ({"host.kernel": "4.19.0-gvisor"}, "gvisor"),
    ],
)
def test_isolation_is_read_from_namespaces_filter_and_kernel(said, wanted):
    assert isolation(said) == wanted


@pytest.mark.parametrize("number", ["²", "9" * 300, "-1", "2 ", "many"])
def test_an_invalid_number_of_processors_is_left_out(number):
    assert read([f"host.cpus\t{number}"]) == ({"host.cpus": "2"} if number == "2 " else {})


# Kernels' messages: CCA's follow boot logs that others published; the others are the kernel's own lines, with
# versions and times made up.
STARTS = {
    "cca": "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x000f0510]\n"
    "[    0.000000] psci: SMC Calling Convention v1.2\n"
    "[    0.000000] RME: Using RSI version 1.0\n",
    "tdx": "[    0.000000] Linux version 6.8.0-31-generic\n[    0.000000] tdx: Guest detected\n",
    "sev-snp": "[    0.000000] Linux version 6.8.0-31-generic\n"
    "[    0.823000] Memory Encryption Features active: AMD SEV SEV-ES SEV-SNP\n",
    "none": "[    0.000000] Linux version 6.8.0-31-generic\n[    0.001000] x86/fpu: Supporting XSAVE feature 0x001\n",
}


@pytest.mark.parametrize("technology", STARTS)
def test_the_script_finds_the_technology_in_the_kernels_messages(technology, tmp_path, monkeypatch):
    (tmp_path / "messages").write_text(STARTS[technology])
    (tmp_path / "dmesg").write_text(f"#!/bin/sh\ncat {tmp_path}/messages\n")
    (tmp_path / "dmesg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    assert collect(host())["host.memory_encryption"] == technology


def test_this_machine_says_what_it_is():
    answer = collect(host())

    assert answer["host.kernel"] == host().identity()["host.kernel"]
    assert answer["host.cpus"].isdigit()
