"""Configuration of a container, as in the OCI runtime specification."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

# Docker's defaults without those for raw networks and devices.
_CAPABILITIES = [
    f"CAP_{name}"
    for name in (
        *("CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "SETGID", "SETUID", "SETFCAP", "SETPCAP"),
        *("NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"),
    )
]
_QUIET = ["nosuid", "noexec", "nodev"]
# Unneeded system calls, which fail with EPERM. The filter's length is its cost; a container engine's list is several
# times longer.
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
    """The `config.json` of a container with this machine's files, read-only.

    Args:
        writable: folder in the container -> folder of this machine.
        seccomp: whether to filter system calls.
        apparmor: AppArmor profile; empty for none.
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
            _mount("/dev", "tmpfs", ["nosuid", "strictatime", "mode=755", "size=65536k"]),
            _mount("/dev/pts", "devpts", ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"]),
            _mount("/dev/shm", "tmpfs", [*_QUIET, "mode=1777"]),  # noqa: S108
            _mount("/sys", "sysfs", [*_QUIET, "ro"]),
            _mount("/tmp", "tmpfs", ["nosuid", "nodev", "mode=1777"]),  # noqa: S108
            *(
                {"destination": inside, "type": "bind", "source": outside, "options": ["rbind", "rw"]}
                for inside, outside in writable.items()
            ),
        ],
        "linux": linux,
    }


def _mount(path: str, kind: str, options: list[str]) -> dict[str, Any]:
    return {"destination": path, "type": kind, "source": kind, "options": options}
