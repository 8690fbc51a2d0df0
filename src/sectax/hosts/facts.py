"""Facts about a host, such as kernel, processor, clock and isolation.

Collected by a POSIX shell script. A malicious host can lie; only a signed attestation report, which sectax does not
read, would be proof.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Protocol

from sectax.hosts.process.child import Child
from sectax.model.subject import Witnesses
from sectax.text.printable import printable

_DEADLINE_S = 30.0
_LINE_LIMIT = 64 * 1024
_MOST_LINES = 200
_LONGEST = 400  # characters of one value
_END = "end"
_PROCESSORS = "host.cpus"

# Technologies that encrypt a guest's memory, as the kernel prints them.
TECHNOLOGIES = ("sev", "sev-es", "sev-snp", "tdx", "cca")

# Prints lines of name, tab and value; unreadable values are omitted.
SCRIPT = r"""
say() { [ -n "$2" ] && printf '%s\t%s\n' "$1" "$(printf '%s' "$2" | tr '\n\t' '; ')"; }
of() { [ -r "$1" ] && head -n 1 "$1" 2>/dev/null; }
field() { sed -n "s/^$1[[:space:]]*:[[:space:]]*//p" /proc/cpuinfo 2>/dev/null | head -n 1; }
say host.kernel "$(uname -r)"
say host.machine "$(uname -m)"
say host.cpu_model "$(field 'model name')"
say host.microcode "$(field microcode)"
say host.cpus "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null)"
say host.clock_source "$(of /sys/devices/system/clocksource/clocksource0/current_clocksource)"
say host.huge_pages "$(of /sys/kernel/mm/transparent_hugepage/enabled)"
say host.last_level_cache "$(cat /sys/devices/system/cpu/cpu0/cache/index*/size 2>/dev/null | sort -n | tail -n 1)"
say host.hypervisor "$(of /sys/class/dmi/id/sys_vendor) $(of /sys/class/dmi/id/product_name)"
say host.swiotlb "$(of /sys/kernel/debug/swiotlb/io_tlb_nslabs ||
  dmesg 2>/dev/null | sed -n 's/.*software IO TLB: mapped.*(\(.*\)).*/\1/p' | head -n 1)"
say host.mitigations "$(cd /sys/devices/system/cpu/vulnerabilities 2>/dev/null && grep . * 2>/dev/null)"
say seen.flags "$(field flags | tr ' ' '\n' | grep -x -E 'hypervisor|tdx_guest' | tr '\n' ' ')"
say seen.seccomp "$(sed -n 's/^Seccomp:[[:space:]]*//p' /proc/self/status 2>/dev/null)"
say seen.no_new_privileges "$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' /proc/self/status 2>/dev/null)"
say seen.apparmor "$(of /proc/self/attr/apparmor/current || of /proc/self/attr/current)"
say seen.pid "$$"
say seen.devices "$(ls -d /dev/sev-guest /dev/tdx_guest /dev/tdx-guest /sys/devices/platform/arm-cca-dev \
  /sys/devices/platform/arm-smccc/arm_cca_guest.* 2>/dev/null)"
if log=$(dmesg 2>/dev/null) && [ -n "$log" ]; then
  case $log in *'Linux version'*|*'Booting Linux'*) say seen.kernel_messages 'from the start' ;;
    *'Starting gVisor'*) say seen.kernel_messages gVisor ;;
    *) say seen.kernel_messages 'not from the start' ;; esac
  say seen.encryption "$(printf '%s\n' "$log" |
    grep -i -E 'Memory Encryption Features active|tdx: Guest detected|RME: Using RSI' | head -n 3)"
fi
printf 'end\t\n'
"""


class ProgramStarter(Protocol):
    def start(self, argv: tuple[str, ...], *, line_limit: int) -> Child: ...


def collect(host: ProgramStarter) -> dict[str, str]:
    """Collect the known facts about a host. Raises `ChildError`."""
    deadline = time.monotonic() + _DEADLINE_S
    lines: list[str] = []
    with host.start(("/bin/sh", "-c", SCRIPT), line_limit=_LINE_LIMIT) as child:
        while len(lines) < _MOST_LINES:
            line = child.receive_line(deadline).decode(errors="replace").rstrip("\n")
            if line.partition("\t")[0] == _END:
                break
            lines.append(line)
    return add_judgements(read(lines))


def read(lines: list[str]) -> dict[str, str]:
    """Parse the script's output; other lines are ignored."""
    answers: dict[str, str] = {}
    for line in lines:
        name, separator, value = line.partition("\t")
        if separator and re.fullmatch(r"(host|seen)\.[a-z_]{1,40}", name) and value.strip():
            answers[name] = printable(value.strip(), _LONGEST)
    # Used in calculations, so it must be a number.
    if re.fullmatch(r"[0-9]{1,5}", answers.get(_PROCESSORS, "")) is None:
        answers.pop(_PROCESSORS, None)
    return answers


def add_judgements(answers: Mapping[str, str]) -> dict[str, str]:
    """Facts with isolation and memory encryption, to check host names."""
    facts = {name: value for name, value in answers.items() if name.startswith("host.")}
    facts["host.isolation"] = isolation(answers)
    encryption = memory_encryption(answers)
    if encryption is not None:
        facts["host.memory_encryption"] = encryption
    return facts


def witnesses(facts: Mapping[str, str]) -> Witnesses:
    """Witnesses of a subject from its host's facts."""
    names = ("isolation", "memory_encryption", "kernel", "cpu_model", "clock_source", "mitigations", "runtime")
    witnessed: Witnesses = {name: facts[f"host.{name}"] for name in names if f"host.{name}" in facts}
    if "memory_encryption" in witnessed:
        witnessed["confidential"] = witnessed["memory_encryption"] in TECHNOLOGIES
    return witnessed


def isolation(answers: Mapping[str, str]) -> str:
    """`gvisor`, or `container` (PID namespace), `seccomp`, `apparmor`, or `none`."""
    if answers.get("seen.kernel_messages") == "gVisor" or answers.get("host.kernel", "").endswith("-gvisor"):
        return "gvisor"
    parts = ["container"] if answers.get("seen.pid") == "1" else []
    parts += ["seccomp"] if answers.get("seen.seccomp") == "2" else []
    parts += ["apparmor"] if answers.get("seen.apparmor", "").endswith("(enforce)") else []
    return "+".join(parts) or "none"


def memory_encryption(answers: Mapping[str, str]) -> str | None:
    """The guest's memory encryption: of `TECHNOLOGIES`, `none`, None if unknown.

    `none` needs kernel messages since the boot, since SEV and SEV-ES are visible only there. A sandbox's own messages
    do not show the machine's encryption.
    """
    devices, messages = answers.get("seen.devices", ""), answers.get("seen.encryption", "")
    if "sev-guest" in devices:
        return "sev-snp"
    if "tdx" in devices or "tdx_guest" in answers.get("seen.flags", "").split() or "tdx: guest" in messages.lower():
        return "tdx"
    # The second will replace the first in later kernels.
    if "arm-cca-dev" in devices or "arm_cca_guest" in devices or "using rsi" in messages.lower():
        return "cca"
    amd = re.search(r"Memory Encryption Features active: *(?:AMD)?([^;\[]*)", messages)
    if amd is not None:
        features = amd[1].lower().split()
        return next((name for name in ("sev-snp", "sev-es", "sev") if name in features), "none")
    return "none" if answers.get("seen.kernel_messages") == "from the start" else None
