"""Hypervisor and memory encryption of a guest, from CPUID.

Sources: Intel TDX Module Base Architecture Specification (leaf 0x21); AMD64 Architecture Programmer's Manual, volume 3,
appendix E (leaf 0x8000001F); Microsoft, Hypervisor Top Level Functional Specification (leaf 0x4000000C).
"""

from __future__ import annotations

from collections.abc import Mapping

from sectax.model.subject import Witnesses
from sectax.text.printable import printable

Leaves = Mapping[int, tuple[int, int, int, int]]  # EAX, EBX, ECX, EDX

_FEATURES, _TDX, _HYPERVISOR, _PRIVILEGES, _ISOLATION, _AMD = 1, 0x21, 0x40000000, 0x40000003, 0x4000000C, 0x8000001F
_IS_GUEST = 1 << 31
_MAY_ISOLATE = 1 << 22
_ISOLATED_AS = {2: "sev-snp", 3: "tdx"}
_SEV_BITS = ((1 << 1, "SEV"), (1 << 3, "SEV-ES"), (1 << 4, "SEV-SNP"))
_NONE = (0, 0, 0, 0)


def technology(leaves: Leaves) -> str | None:
    """Memory encryption of this guest, or None; CPUID does not show SEV."""
    _, b, c, d = leaves.get(_TDX, _NONE)
    if _text(b, d, c) == "IntelTDX    ":
        return "tdx"
    if leaves.get(_PRIVILEGES, _NONE)[1] & _MAY_ISOLATE:
        return _ISOLATED_AS.get(leaves.get(_ISOLATION, _NONE)[1] & 0xF)
    return None


def witnesses(leaves: Leaves, kernel_witnesses: Witnesses) -> Witnesses:
    """Add CPUID to the kernel's witnesses; drop encryption if they disagree."""
    if not leaves:
        return kernel_witnesses
    witnessed = dict(kernel_witnesses) | {"cpuid": words(leaves)}
    kind = technology(leaves)
    if kind is None or kind == witnessed.get("memory_encryption"):
        return witnessed
    if "memory_encryption" in witnessed:
        del witnessed["memory_encryption"], witnessed["confidential"]
        return witnessed
    return witnessed | {"memory_encryption": kind, "confidential": True}


def words(leaves: Leaves) -> str:
    """Describe CPUID: `guest of KVMKVMKVM; the processor shows SEV, SEV-ES`."""
    parts = []
    if leaves.get(_FEATURES, _NONE)[2] & _IS_GUEST:
        _, b, c, d = leaves.get(_HYPERVISOR, _NONE)
        parts.append(f"guest of {_text(b, c, d).strip() or 'a hypervisor without a name'}")
    else:
        parts.append("no hypervisor shows")
    technologies = [name for bit, name in _SEV_BITS if leaves.get(_AMD, _NONE)[0] & bit]
    if technologies:
        parts.append(f"the processor shows {', '.join(technologies)}")
    kind = technology(leaves)
    if kind is not None:
        parts.append(f"memory encrypted by {kind}")
    return "; ".join(parts)


def _text(*registers: int) -> str:
    raw = b"".join(register.to_bytes(4, "little") for register in registers)
    return printable(raw.rstrip(b"\0").decode("latin-1"), 12)
