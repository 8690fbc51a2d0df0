"""The /tmp of an instance as a disk of its own: full at its size, and no memory of the instance.

A file in tmpfs is memory of whoever writes it, so a full /tmp would end a small function for want of memory. An ext4
file system on a loop device is a disk: its page cache is the function's too, but the kernel takes it back. Nothing of
it has a name on the machine (an unlinked file, a loop device that ends with its last user, a mount without a place),
so nothing is left behind when its owner is killed.
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
_MOST_TRIES = 20  # against others who take the same free device

# ext4 keeps 2 % for itself, inodes of 256 bytes take a 64th, and maps the rest.
_SHARE, _OWN_MB = 0.96, 1
# No journal: nobody reads it after a crash.
_MKFS = ("-q", "-F", "-m", "0", "-b", "4096", "-i", "16384", "-O", "^has_journal,^resize_inode,^metadata_csum")
_MKFS_MORE = ("-E", "nodiscard,lazy_itable_init=1,root_owner=0:0")
_BLOCK = 4096
_PLACES = ("/var/tmp", tempfile.gettempdir())  # noqa: S108 - the file has no name there


def scratch(size_mb: int) -> int | None:
    """The descriptor of a mount that has no place yet; None where there can be none: no root, no loop device, no
    mkfs.ext4. The caller closes it."""
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
    """What is not zero in an empty file system of this size, by its place: mkfs.ext4 takes longer than an instance."""
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
        except OSError:  # nothing but a hole
            return
        end = os.lseek(image, start, os.SEEK_HOLE)
        for offset in range(start, end, _BLOCK):
            block = os.pread(image, _BLOCK, offset)
            if block.strip(b"\0"):
                yield offset, block


def _image(size_mb: int) -> int:
    """An empty file without a name, with holes."""
    place = next((path for path in _PLACES if os.access(path, os.W_OK)), _PLACES[-1])
    image = os.open(place, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    os.ftruncate(image, round((size_mb / _SHARE + _OWN_MB) * 2**20))
    return image


def _loop(image: int) -> tuple[int, int]:
    """A loop device on this file, and its number. Past the page cache where the file system can: once is enough."""
    with open("/dev/loop-control", "rb+", buffering=0) as control:
        for _ in range(_MOST_TRIES):
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
