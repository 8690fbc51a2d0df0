"""The /tmp of an instance as a disk with a fixed size, which does not use the instance's memory.

Files in tmpfs count as memory, so a full /tmp would kill a small function. For an ext4 file system on a loop device
only the page cache counts, which the kernel can reclaim. All parts are anonymous (an unlinked file, an autoclear loop
device, a detached mount), so nothing is left if the owner is killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator

from lambda_local.inside import kernel

# <linux/loop.h>
_LOOP_CTL_GET_FREE, _LOOP_CONFIGURE = 0x4C82, 0x4C0A
_AUTOCLEAR, _DIRECT_IO = 4, 16
_MAX_TRIES = 20  # other processes may take the same free device

# ext4 reserves 2 %, and needs a 64th for inodes of 256 bytes, and some space for maps.
_SHARE, _OWN_MB = 0.96, 1
# No journal: it is never used after a crash.
_MKFS = ("-q", "-F", "-m", "0", "-b", "4096", "-i", "16384", "-O", "^has_journal,^resize_inode,^metadata_csum")
_MKFS_MORE = ("-E", "nodiscard,lazy_itable_init=1,root_owner=0:0")
_BLOCK = 4096
_PLACES = ("/var/tmp", tempfile.gettempdir())  # noqa: S108 - the file has no name there


def scratch(size_mb: int) -> int | None:
    """Return the descriptor of a detached mount, which the caller closes; None without root, loop device or mkfs."""
    if os.geteuid() != 0:
        return None
    try:
        with contextlib.ExitStack() as stack:
            blocks = _blank(size_mb)
            image = _image(size_mb)
            stack.callback(os.close, image)
            for offset, block in blocks:
                os.pwrite(image, block, offset)
            device, number = _loop(image)
            stack.callback(os.close, device)
            mounted = kernel.open_mount(
                "ext4", f"/dev/loop{number}", kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV
            )
    except (OSError, subprocess.CalledProcessError):
        return None
    os.chmod(f"/proc/self/fd/{mounted}", 0o1777)  # noqa: S103 - a /tmp
    os.rmdir(f"/proc/self/fd/{mounted}/lost+found")
    return mounted


@functools.lru_cache(maxsize=16)
def _blank(size_mb: int) -> tuple[tuple[int, bytes], ...]:
    """Return the non-zero blocks of an empty file system, by offset; cached, since mkfs.ext4 is slow."""
    mkfs = shutil.which("mkfs.ext4", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if mkfs is None:
        raise FileNotFoundError("mkfs.ext4")
    image = _image(size_mb)
    try:
        path = f"/proc/{os.getpid()}/fd/{image}"
        subprocess.run([mkfs, *_MKFS, *_MKFS_MORE, path], check=True, capture_output=True)
        return tuple(_written(image))
    finally:
        os.close(image)


def _written(image: int) -> Iterator[tuple[int, bytes]]:
    end, size = 0, os.fstat(image).st_size
    while end < size:
        try:
            start = os.lseek(image, end, os.SEEK_DATA)
        except OSError:  # only a hole
            return
        end = os.lseek(image, start, os.SEEK_HOLE)
        for offset in range(start, end, _BLOCK):
            block = os.pread(image, _BLOCK, offset)
            if block.strip(b"\0"):
                yield offset, block


def _image(size_mb: int) -> int:
    """Create a sparse file without a name."""
    folder = next((path for path in _PLACES if os.access(path, os.W_OK)), _PLACES[-1])
    image = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    os.ftruncate(image, round((size_mb / _SHARE + _OWN_MB) * 2**20))
    return image


def _loop(image: int) -> tuple[int, int]:
    """Attach a loop device; return it and its number. Uses direct I/O if possible, to avoid caching twice."""
    with open("/dev/loop-control", "rb+", buffering=0) as control:
        for _ in range(_MAX_TRIES):
            number = fcntl.ioctl(control, _LOOP_CTL_GET_FREE)
            device = os.open(f"/dev/loop{number}", os.O_RDWR | os.O_CLOEXEC)
            for flags in (_AUTOCLEAR | _DIRECT_IO, _AUTOCLEAR):
                # struct loop_config: fd, block_size, struct loop_info64 (lo_flags at 52), reserved
                config = struct.pack("=II52xI", image, 0, flags).ljust(304, b"\0")
                with contextlib.suppress(OSError):
                    fcntl.ioctl(device, _LOOP_CONFIGURE, config)
                    return device, number
            os.close(device)
    raise OSError("no loop device is free")
