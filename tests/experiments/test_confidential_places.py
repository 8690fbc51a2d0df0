"""What the name of a host promises."""

from __future__ import annotations

import pytest

from sectax.experiments.on_host.places import declares


@pytest.mark.parametrize(
    ("name", "where", "wanted"),
    [
        ("sev", "ssh://vm", {"memory_encryption": "sev"}),
        ("vm-sev-snp", "ssh://vm", {"memory_encryption": "sev-snp"}),
        ("sev-es-2", "ssh://vm", {"memory_encryption": "sev-es"}),
        ("TDX", "ssh://vm", {"memory_encryption": "tdx"}),
        ("seven", "ssh://vm", {}),
        ("normal", "ssh://vm", {"memory_encryption": "none"}),
        ("confidential", "ssh://vm", {"confidential": True}),
        ("mine", "oci:runsc", {"isolation": "gvisor"}),
        ("mine", "oci:runc", {"isolation": "container"}),
        ("mine", "oci:runc+seccomp", {"isolation": "container+seccomp"}),
        ("mine", "oci:crun+apparmor", {"isolation": "container+apparmor"}),
        ("mine", "oci:runc+seccomp+apparmor", {"isolation": "container+seccomp+apparmor"}),
        ("gvisor", "local", {"isolation": "gvisor"}),
        ("plain", "local", {}),
    ],
)
def test_a_name_promises_what_it_says(name, where, wanted):
    assert declares(name, where) == wanted
