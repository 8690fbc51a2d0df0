"""The filter of system calls: an allow-list as in container engines, and rules for some calls."""

from __future__ import annotations

import errno
import struct

# AUDIT_ARCH_…, and the column of ALLOWED.
_ARCHITECTURES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}

# Address families that respect network namespaces: local, IPv4, IPv6, netlink. AF_VSOCK does not: it reaches the
# hypervisor and, on some machines, other programs.
_FAMILIES = (1, 2, 10, 16)
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = 0x7E02_0000
# Values of personality(2): Linux, 32-bit Linux, both with kernel version 2.6, and a query. None of them makes addresses
# predictable.
_PERSONALITIES = (0, 0x8, 0x2_0000, 0x2_0008, 0xFFFF_FFFF)
# TIOCSTI and TIOCLINUX inject input into the terminal.
_TERMINAL = (0x5412, 0x541C)

# Calls that are allowed with some arguments only -> label of their rule. Filters cannot read clone3's flags, which are
# in memory; without it programs use clone.
_RULES = {
    "socket": "socket",
    "socketpair": "socket",
    "clone": "clone",
    "clone3": "unknown",
    "personality": "personality",
    "ioctl": "ioctl",
}

# <linux/bpf_common.h>, <linux/seccomp.h>; struct seccomp_data: nr at 0, arch at 4, the low halves of the arguments
_LOAD, _EQUAL, _GREATER, _NOT_LESS, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_ALLOW, _ERROR = 0x7FFF_0000, 0x0005_0000

_NEXT = ""  # the label of the next line


def call_filter(machine: str) -> bytes:
    """Return the filter as struct sock_filter[].

    Other calls get EPERM. Calls above the highest number (also of the x32 ABI) and calls of another architecture get
    ENOSYS, so that programs fall back as on an older kernel.

    Raises:
        OSError: the architecture is not supported.
    """
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, "its system calls are not known", machine)
    architecture, column = _ARCHITECTURES[machine]
    numbers = {name: columns[column] for name, columns in ALLOWED.items()}
    program = _Program()
    program.add(_LOAD, _ARCHITECTURE)
    program.add(_EQUAL, architecture, no="unknown")
    program.add(_LOAD, _NUMBER)
    for name, label in _RULES.items():
        program.add(_EQUAL, numbers.pop(name) or 0, yes=label)
    for first, last in _ranges([number for number in numbers.values() if number is not None]):
        program.add(_NOT_LESS, first, no="refused")
        program.add(_GREATER, last, no="allowed")
    program.add(_RETURN, _ERROR | errno.ENOSYS)
    program.label("socket").add(_LOAD, _FIRST)
    for family in _FAMILIES:
        program.add(_EQUAL, family, yes="allowed")
    program.add(_RETURN, _ERROR | errno.EAFNOSUPPORT)
    program.label("clone").add(_LOAD, _FIRST)
    program.add(_ANY_BIT, _NAMESPACES, yes="refused", no="allowed")
    program.label("personality").add(_LOAD, _FIRST)
    for personality in _PERSONALITIES:
        program.add(_EQUAL, personality, yes="allowed")
    program.add(_RETURN, _ERROR | errno.EPERM)
    program.label("ioctl").add(_LOAD, _SECOND)
    for request in _TERMINAL:
        program.add(_EQUAL, request, yes="refused")
    program.label("allowed").add(_RETURN, _ALLOW)
    program.label("refused").add(_RETURN, _ERROR | errno.EPERM)
    program.label("unknown").add(_RETURN, _ERROR | errno.ENOSYS)
    return program.assembled()


class _Program:
    """A BPF program with forward jumps to labels."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str, str, int]] = []
        self._labels: dict[str, int] = {}

    def label(self, name: str) -> _Program:
        """Label the next line."""
        self._labels[name] = len(self._lines)
        return self

    def add(self, code: int, value: int, yes: str = _NEXT, no: str = _NEXT) -> None:
        self._lines.append((code, yes, no, value))

    def assembled(self) -> bytes:
        """Encode the program; jumps over more than 255 lines raise an error."""

        def jump(label: str, line: int) -> int:
            return 0 if label == _NEXT else self._labels[label] - line - 1

        return b"".join(
            struct.pack("=HBBI", code, jump(yes, line), jump(no, line), value)
            for line, (code, yes, no, value) in enumerate(self._lines)
        )


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of adjacent numbers, in order."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


# The allowed system calls: those of a container without capabilities, from Docker's default profile
# (https://github.com/moby/profiles, seccomp/default_linux.go; the same in containerd), without `unshare` and
# `fanotify_mark`. The numbers are from <asm/unistd.h> on x86_64 and on aarch64, which lacks the older calls.
#
# Omitted, because they escape an instance or reach parts of the kernel that few programs need: add_key, request_key
# and keyctl (keyrings have no namespaces), io_uring_* (it opens sockets past the filter), bpf, perf_event_open,
# userfaultfd, kcmp, pidfd_getfd, mount and similar, setns, open_by_handle_at, loading modules, setting clocks, reboot,
# NUMA.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "accept": (43, 202), "accept4": (288, 242), "access": (21, None), "adjtimex": (159, 171), "alarm": (37, None),
    "arch_prctl": (158, None), "bind": (49, 200), "brk": (12, 214), "cachestat": (451, 451), "capget": (125, 90),
    "capset": (126, 91), "chdir": (80, 49), "chmod": (90, None), "chown": (92, None), "clock_adjtime": (305, 266),
    "clock_getres": (229, 114), "clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "clone": (56, 220),
    "clone3": (435, 435), "close": (3, 57), "close_range": (436, 436), "connect": (42, 203),
    "copy_file_range": (326, 285), "creat": (85, None), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "epoll_create": (213, None), "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441), "epoll_wait": (232, None), "eventfd": (284, None), "eventfd2": (290, 19),
    "execve": (59, 221), "execveat": (322, 281), "exit": (60, 93), "exit_group": (231, 94), "faccessat": (269, 48),
    "faccessat2": (439, 439), "fadvise64": (221, 223), "fallocate": (285, 47), "fchdir": (81, 50), "fchmod": (91, 52),
    "fchmodat": (268, 53), "fchmodat2": (452, 452), "fchown": (93, 55), "fchownat": (260, 54), "fcntl": (72, 25),
    "fdatasync": (75, 83), "fgetxattr": (193, 10), "flistxattr": (196, 13), "flock": (73, 32), "fork": (57, None),
    "fremovexattr": (199, 16), "fsetxattr": (190, 7), "fstat": (5, 80), "fstatfs": (138, 44), "fsync": (74, 82),
    "ftruncate": (77, 46), "futex": (202, 98), "futex_requeue": (456, 456), "futex_wait": (455, 455),
    "futex_waitv": (449, 449), "futex_wake": (454, 454), "futimesat": (261, None), "get_robust_list": (274, 100),
    "getcpu": (309, 168), "getcwd": (79, 17), "getdents": (78, None), "getdents64": (217, 61), "getegid": (108, 177),
    "geteuid": (107, 175), "getgid": (104, 176), "getgroups": (115, 158), "getitimer": (36, 102),
    "getpeername": (52, 205), "getpgid": (121, 155), "getpgrp": (111, None), "getpid": (39, 172),
    "getppid": (110, 173), "getpriority": (140, 141), "getrandom": (318, 278), "getresgid": (120, 150),
    "getresuid": (118, 148), "getrlimit": (97, 163), "getrusage": (98, 165), "getsid": (124, 156),
    "getsockname": (51, 204), "getsockopt": (55, 209), "gettid": (186, 178), "gettimeofday": (96, 169),
    "getuid": (102, 174), "getxattr": (191, 8), "getxattrat": (464, 464), "inotify_add_watch": (254, 27),
    "inotify_init": (253, None), "inotify_init1": (294, 26), "inotify_rm_watch": (255, 28), "io_cancel": (210, 3),
    "io_destroy": (207, 1), "io_getevents": (208, 4), "io_pgetevents": (333, 292), "io_setup": (206, 0),
    "io_submit": (209, 2), "ioctl": (16, 29), "ioprio_get": (252, 31), "ioprio_set": (251, 30), "kill": (62, 129),
    "landlock_add_rule": (445, 445), "landlock_create_ruleset": (444, 444), "landlock_restrict_self": (446, 446),
    "lchown": (94, None), "lgetxattr": (192, 9), "link": (86, None), "linkat": (265, 37), "listen": (50, 201),
    "listmount": (458, 458), "listxattr": (194, 11), "listxattrat": (465, 465), "llistxattr": (195, 12),
    "lremovexattr": (198, 15), "lseek": (8, 62), "lsetxattr": (189, 6), "lstat": (6, None), "madvise": (28, 233),
    "map_shadow_stack": (453, 453), "membarrier": (324, 283), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "mincore": (27, 232), "mkdir": (83, None), "mkdirat": (258, 34), "mknod": (133, None), "mknodat": (259, 33),
    "mlock": (149, 228), "mlock2": (325, 284), "mlockall": (151, 230), "mmap": (9, 222), "mprotect": (10, 226),
    "mq_getsetattr": (245, 185), "mq_notify": (244, 184), "mq_open": (240, 180), "mq_timedreceive": (243, 183),
    "mq_timedsend": (242, 182), "mq_unlink": (241, 181), "mremap": (25, 216), "mseal": (462, 462),
    "msgctl": (71, 187), "msgget": (68, 186), "msgrcv": (70, 188), "msgsnd": (69, 189), "msync": (26, 227),
    "munlock": (150, 229), "munlockall": (152, 231), "munmap": (11, 215), "name_to_handle_at": (303, 264),
    "nanosleep": (35, 101), "newfstatat": (262, 79), "open": (2, None), "openat": (257, 56), "openat2": (437, 437),
    "pause": (34, None), "personality": (135, 92), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "pipe": (22, None), "pipe2": (293, 59), "pkey_alloc": (330, 289), "pkey_free": (331, 290),
    "pkey_mprotect": (329, 288), "poll": (7, None), "ppoll": (271, 73), "prctl": (157, 167), "pread64": (17, 67),
    "preadv": (295, 69), "preadv2": (327, 286), "prlimit64": (302, 261), "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pselect6": (270, 72), "ptrace": (101, 117),
    "pwrite64": (18, 68), "pwritev": (296, 70), "pwritev2": (328, 287), "read": (0, 63), "readahead": (187, 213),
    "readlink": (89, None), "readlinkat": (267, 78), "readv": (19, 65), "recvfrom": (45, 207), "recvmmsg": (299, 243),
    "recvmsg": (47, 212), "remap_file_pages": (216, 234), "removexattr": (197, 14), "removexattrat": (466, 466),
    "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "restart_syscall": (219, 128),
    "rmdir": (84, None), "rseq": (334, 293), "rt_sigaction": (13, 134), "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135), "rt_sigqueueinfo": (129, 138), "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137), "rt_tgsigqueueinfo": (297, 240),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126), "sched_getaffinity": (204, 123),
    "sched_getattr": (315, 275), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_rr_get_interval": (148, 127), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "sched_yield": (24, 124), "seccomp": (317, 277),
    "select": (23, None), "semctl": (66, 191), "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192),
    "sendfile": (40, 71), "sendmmsg": (307, 269), "sendmsg": (46, 211), "sendto": (44, 206),
    "set_robust_list": (273, 99), "set_tid_address": (218, 96), "setfsgid": (123, 152), "setfsuid": (122, 151),
    "setgid": (106, 144), "setgroups": (116, 159), "setitimer": (38, 103), "setpgid": (109, 154),
    "setpriority": (141, 140), "setregid": (114, 143), "setresgid": (119, 149), "setresuid": (117, 147),
    "setreuid": (113, 145), "setrlimit": (160, 164), "setsid": (112, 157), "setsockopt": (54, 208),
    "setuid": (105, 146), "setxattr": (188, 5), "setxattrat": (463, 463), "shmat": (30, 196), "shmctl": (31, 195),
    "shmdt": (67, 197), "shmget": (29, 194), "shutdown": (48, 210), "sigaltstack": (131, 132),
    "signalfd": (282, None), "signalfd4": (289, 74), "socket": (41, 198), "socketpair": (53, 199),
    "splice": (275, 76), "stat": (4, None), "statfs": (137, 43), "statmount": (457, 457), "statx": (332, 291),
    "symlink": (88, None), "symlinkat": (266, 36), "sync": (162, 81), "sync_file_range": (277, 84),
    "syncfs": (306, 267), "sysinfo": (99, 179), "tee": (276, 77), "tgkill": (234, 131), "time": (201, None),
    "timer_create": (222, 107), "timer_delete": (226, 111), "timer_getoverrun": (225, 109),
    "timer_gettime": (224, 108), "timer_settime": (223, 110), "timerfd_create": (283, 85),
    "timerfd_gettime": (287, 87), "timerfd_settime": (286, 86), "times": (100, 153), "tkill": (200, 130),
    "truncate": (76, 45), "umask": (95, 166), "uname": (63, 160), "unlink": (87, None), "unlinkat": (263, 35),
    "uretprobe": (335, None), "utime": (132, None), "utimensat": (280, 88), "utimes": (235, None),
    "vfork": (58, None), "vmsplice": (278, 75), "wait4": (61, 260), "waitid": (247, 95), "write": (1, 64),
    "writev": (20, 66),
}  # fmt: skip
