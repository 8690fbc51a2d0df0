"""The control groups of one instance: limits, counters, removal."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

from lambda_local.sandbox.freezer import Freezer, keep_frozen, thaw
from lambda_local.sandbox.hierarchies import (
    CONTROLLERS,
    DELEGATE,
    FREEZER,
    Hierarchy,
    hierarchy,
    inherit_cpuset,
    prepare,
    read,
    write,
)
from lambda_local.sandbox.limits import (
    COUNTER_FILES,
    LIMIT_FILES,
    OPTIONAL_FILES,
    PERIOD_US,
    SOCKETS,
    USAGE_FILES,
    Counters,
    InForce,
    InstanceFailed,
    Limits,
    SandboxMissing,
    limit_settings,
    limits_in_force,
    memory_settings,
    no_quota,
    parse_counters,
    quota_setting,
    quota_us,
)
from lambda_local.sandbox.memory import measure

_REQUIRED = ("cpu", "memory")  # the others are optional
_READ_BYTES = 4096  # longer than any of the files
_STEP = 1 << 20  # bytes: smaller changes of memory charged elsewhere do not change the limit
# A group can be removed shortly after its last process is reaped.
_REMOVAL_S = 5.0
_RETRY_EVERY_S = 0.002
_TRIES = 20  # another owner may remove the common folder while it is empty


class Groups:
    """One group in each available hierarchy; others are missing in `in_force` and `counters`."""

    def __init__(self, name: str, root: Path = Path("/")) -> None:
        """Choose the hierarchies, without creating anything.

        Args:
            name: unique name of the folders.
            root: root of the file system; another one in tests.
        """
        self._places: dict[str, Hierarchy] = {}
        self._missing: dict[str, SandboxMissing] = {}
        for controller in CONTROLLERS:
            try:
                self._places[controller] = hierarchy(controller, root)
            except SandboxMissing as missing:
                self._missing[controller] = missing
        self._name = name
        self._open: dict[str, int] = {}
        self._memory_bytes = self._elsewhere = self._last_usage = 0
        self._usage = -1
        self._peak: int | None = None
        self.freezer = Freezer(Path(os.devnull))  # none before `make`
        # Another thread may destroy the instance during a read, and a closed descriptor may be reused.
        self._reading = threading.Lock()

    @property
    def folders(self) -> list[Path]:
        """The folders of its processes without duplicates: in v2 one has all controllers."""
        return list(dict.fromkeys(self._folder(controller) for controller in self._places))

    @property
    def made(self) -> list[Path]:
        """The folders that `make` creates."""
        still = self._still
        return self.folders if still is None else [*self.folders, still]

    def make(self, limits: Limits) -> None:
        """Create the folders, set the limits and read them back.

        Raises:
            SandboxMissing: CPU quotas or memory limits are not available.
            InstanceFailed: the kernel refuses a limit or reports another one.
        """
        for controller, place in list(self._places.items()):
            try:
                _make(place, self._folder(controller))
            except OSError as error:
                del self._places[controller]
                self._missing[controller] = _missing_group(error, place)
        for controller in _REQUIRED:
            if controller not in self._places:
                raise self._missing[controller]
        self._memory_bytes = limits.memory_mb << 20
        for controller, place in self._places.items():
            self._limit(self._folder(controller), limit_settings(place.version, limits).get(controller, []))
        self._compare(limits)
        if self._still is not None:
            with contextlib.suppress(OSError):  # only slows freezing down
                keep_frozen(self._still)
        self._open_counters()

    def procs(self) -> list[int]:
        """Open all `cgroup.procs` for writing; the caller closes the descriptors."""
        return [os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in self.folders]

    def in_force(self) -> InForce:
        """Read the limits from the kernel; the memory limit includes what is charged elsewhere.

        Raises:
            InstanceFailed: there are none, for example because the instance is gone.
        """
        texts = {
            file: text
            for controller, files in LIMIT_FILES.items()
            for file in files
            if (text := read(self._folder(controller) / file)) is not None
        }
        now = limits_in_force(texts, self._places["memory"].version)
        return replace(now, memory_bytes=now.memory_bytes + self._elsewhere)

    def counters(self, *, times: bool = False) -> Counters:
        """Read the counters, cheaply enough for each invocation; *times* skips memory."""
        texts: dict[str, bytes] = {}
        with self._reading, contextlib.suppress(OSError):  # the group is gone
            for file, fd in self._open.items():
                if not times or not file.startswith("memory."):
                    texts[file] = os.pread(fd, _READ_BYTES, 0)
        return parse_counters(texts)

    def grown(self, resident: int) -> bool:
        """Return whether one process's resident bytes plus the group's usage have grown."""
        with self._reading, contextlib.suppress(OSError):
            used = 0 if self._usage < 0 else int(os.pread(self._usage, _READ_BYTES, 0))
            if resident + used <= self._last_usage:
                return False
            self._last_usage = resident + used + _STEP // 16
        return True

    def measure_memory(self) -> tuple[int | None, bool]:
        """Return the peak memory so far, and whether it is above the limit.

        Lowers the kernel's limit by memory that is charged elsewhere. After a kill by the kernel the peak is the limit.
        """
        killed = self.counters().oom_kills
        with self._reading:
            if not self._open:
                return self._peak, False
            pids = [int(word) for word in (read(self._folder("memory") / "cgroup.procs") or "").split() if word != "0"]
            stat = read(self._folder("memory") / "memory.stat") or ""
            sockets = int(read(self._folder("memory") / SOCKETS) or 0)
            memory = measure(pids, stat, sockets)
            over = not self._lower_limit(memory.elsewhere)
            reached = self._memory_bytes if over or killed else 0
            self._peak = max(self._peak or 0, memory.resident, memory.peak, reached)
            return self._peak, over

    def _lower_limit(self, elsewhere: int) -> bool:
        """Lower the limit by memory that is charged elsewhere; return False if the instance uses more than that."""
        if abs(elsewhere - self._elsewhere) < _STEP:
            return True
        lower, self._elsewhere = elsewhere > self._elsewhere, elsewhere
        version = self._places["memory"].version
        try:
            for file, text in memory_settings(version, max(0, self._memory_bytes - elsewhere), lower=lower):
                if (self._folder("memory") / file).exists():
                    write(self._folder("memory") / file, text)
        except OSError:  # EBUSY: it uses more than that even without page cache
            return False
        return True

    def set_quota(self, cpu: float) -> None:
        """Set the CPU quota in vCPUs; it starts with a full period. Raises `InstanceFailed`."""
        place = self._places["cpu"]
        self._limit(self._folder("cpu"), [quota_setting(place.version, cpu)])

    def lift_quota(self) -> None:
        """Remove the quota, so that killed processes can exit at full speed."""
        if "cpu" in self._places:  # otherwise nothing was created
            file, text = no_quota(self._places["cpu"].version)
            with contextlib.suppress(OSError):
                write(self._folder("cpu") / file, text)

    def close(self) -> None:
        """Close the files; counters are missing afterwards."""
        with self._reading:
            for fd in self._open.values():
                os.close(fd)
            self._open = {}
            if self._usage >= 0:
                os.close(self._usage)
                self._usage = -1
        self.freezer.close()

    @property
    def _still(self) -> Path | None:
        """In v1 an empty frozen group; see `keep_frozen`."""
        place = self._places.get(FREEZER)
        return None if place is None or place.version != 1 else place.parent / f"{self._name}.still"

    def _folder(self, controller: str) -> Path:
        return self._places[controller].parent / self._name

    def _limit(self, folder: Path, settings: list[tuple[str, str]]) -> None:
        for file, text in settings:
            if file in OPTIONAL_FILES and not (folder / file).exists():
                continue
            try:
                write(folder / file, text)
            except OSError as error:
                raise InstanceFailed(f"the kernel refused {text} for {folder / file}: {error.strerror}") from error

    def _compare(self, limits: Limits) -> None:
        now = self.in_force()
        requested = InForce(quota_us(limits.cpu) / PERIOD_US, PERIOD_US, limits.memory_mb << 20, now.cgroup)
        if now != requested:
            raise InstanceFailed(f"requested {requested}, the kernel reports {now}")

    def _open_counters(self) -> None:
        for controller, files in COUNTER_FILES.items():
            if controller in self._places:
                for file in files:
                    with contextlib.suppress(OSError):  # a file of the other version
                        self._open[file] = os.open(self._folder(controller) / file, os.O_RDONLY | os.O_CLOEXEC)
        for file in USAGE_FILES:
            with contextlib.suppress(OSError):
                self._usage = os.open(self._folder("memory") / file, os.O_RDONLY | os.O_CLOEXEC)
        if FREEZER in self._places:
            self.freezer = Freezer(self._folder(FREEZER))


def owner_groups(owner: str) -> list[Path]:
    """Return the groups of all instances of the owner whose folder has this name."""
    parents = set()
    for controller in CONTROLLERS:
        with contextlib.suppress(SandboxMissing):
            parents.add(hierarchy(controller).parent)
    return [folder for parent in parents for folder in parent.glob(f"{owner}.*")]


def remove_groups(folders: list[Path]) -> bool:
    """Kill all processes in these groups and remove them; return whether all are removed. Never raises."""
    deadline = time.monotonic() + _REMOVAL_S
    for folder in folders:
        thaw(folder)
    left = [folder for folder in folders if not _removed(folder)]
    while left and time.monotonic() < deadline:
        for folder in left:
            _kill(folder)
        time.sleep(_RETRY_EVERY_S)
        left = [folder for folder in left if not _removed(folder)]
    for parent in {folder.parent for folder in folders}:
        with contextlib.suppress(OSError):  # other instances are in it
            parent.rmdir()
    return not left


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _kill(folder: Path) -> None:
    for word in (read(folder / "cgroup.procs") or "").split():
        if word != "0":  # a process outside our namespace; kill(0) would kill ourselves
            with contextlib.suppress(OSError):
                os.kill(int(word), signal.SIGKILL)


def _make(place: Hierarchy, folder: Path) -> None:
    for attempt in range(_TRIES):
        try:
            prepare(place)
            folder.mkdir(exist_ok=True)
            if place.version == 1:
                inherit_cpuset(folder)
        except FileNotFoundError:
            if attempt == _TRIES - 1:
                raise
        else:
            return


def _missing_group(error: OSError, place: Hierarchy) -> SandboxMissing:
    hint = DELEGATE
    if error.errno == errno.EBUSY:
        hint = "the group has other processes: start the server in its own group (systemd-run --user --scope …)"
    return SandboxMissing(f"no control group can be created in {place.above}: {error.strerror}", hint)
