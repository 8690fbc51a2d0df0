"""The configuration of one container, as the OCI runtime specification has it."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

# What Docker leaves a container's root by default, without the two that reach the network and devices.
_CAPABILITIES = [
    f"CAP_{name}"
    for name in (
        *("CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "SETGID", "SETUID", "SETFCAP", "SETPCAP"),
        *("NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"),
    )
]
_QUIET = ["nosuid", "noexec", "nodev"]
# System calls that no benchmark or server needs, refused with EPERM. Every call passes through the filter, so its
# length is what costs; a container engine's own list of allowed calls is several times longer.
_REFUSED = [
    *("acct", "add_key", "bpf", "delete_module", "finit_module", "init_module", "kexec_file_load", "kexec_load"),
    *("keyctl", "lookup_dcookie", "mount", "move_pages", "name_to_handle_at", "open_by_handle_at"),
    *("perf_event_open", "pivot_root", "process_vm_readv", "process_vm_writev", "ptrace", "quotactl", "reboot"),
    *("request_key", "setns", "swapoff", "swapon", "syslog", "umount2", "unshare", "userfaultfd"),
]
_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}


def configuration(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    name: str,
    writable: Mapping[str, str],
    seccomp: bool,
    apparmor: str = "",
) -> dict[str, Any]:
    """The `config.json` of a container over this machine's own files, which it can read and not write.

    Args:
        writable: folder in the container -> folder of this machine.
        seccomp: put a filter in front of every system call.
        apparmor: the profile of AppArmor that holds it; empty for none.
    """
    linux: dict[str, Any] = {
        "cgroupsPath": f"/{name}",
        "namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")],
        "resources": {"devices": [{"allow": False, "access": "rwm"}]},
        "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list"],
        "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
    }
    if seccomp:
        linux["seccomp"] = {
            "defaultAction": "SCMP_ACT_ALLOW",
            "architectures": [_ARCHITECTURES[platform.machine()]],
            "syscalls": [{"names": _REFUSED, "action": "SCMP_ACT_ERRNO", "errnoRet": 1}],
        }
    return {
        "ociVersion": "1.0.2",
        "process": {
            "terminal": False,
            "user": {"uid": 0, "gid": 0},
            "args": list(argv),
            "env": [f"{key}={value}" for key, value in env.items()],
            "cwd": cwd,
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), _CAPABILITIES),
            "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 4096, "soft": 4096}],
            "noNewPrivileges": True,
            **({"apparmorProfile": apparmor} if apparmor else {}),
        },
        "root": {"path": "rootfs", "readonly": True},
        "hostname": "sectax",
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            _tmpfs("/dev", ["nosuid", "strictatime", "mode=755", "size=65536k"]),
            {
                "destination": "/dev/pts",
                "type": "devpts",
                "source": "devpts",
                "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"],
            },
            _tmpfs("/dev/shm", [*_QUIET, "mode=1777"]),  # noqa: S108 - the path is the standard's
            {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": [*_QUIET, "ro"]},
            _tmpfs("/tmp", ["nosuid", "nodev", "mode=1777"]),  # noqa: S108
            *(
                {"destination": inside, "type": "bind", "source": outside, "options": ["rbind", "rw"]}
                for inside, outside in writable.items()
            ),
        ],
        "linux": linux,
    }


def _tmpfs(place: str, options: list[str]) -> dict[str, Any]:
    return {"destination": place, "type": "tmpfs", "source": "tmpfs", "options": options}
