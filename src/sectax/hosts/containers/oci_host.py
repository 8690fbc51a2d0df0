"""Programs in containers of an OCI runtime: runc, crun or gVisor's runsc."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import itertools
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Unpack

from sectax.hosts import facts
from sectax.hosts.containers.bundle import configuration
from sectax.hosts.process.child import Child, StartOptions
from sectax.hosts.process.errors import ChildDied, ChildError, ChildNotStarted
from sectax.hosts.process.host import LocalHost, NotFound
from sectax.hosts.process.telemetry import SharedTelemetry
from sectax.model.errors import WrongUse

KIND = "oci"
SECCOMP, APPARMOR = "seccomp", "apparmor"
# Writable folder in a container, on this machine's disk for every runtime.
WORK = "/var/tmp"  # noqa: S108 - it is the container's

_LOCAL = LocalHost()
_NAME = re.compile(rf"{KIND}:([a-z0-9][a-z0-9._-]*)(\+{SECCOMP})?(\+{APPARMOR})?")
# The profile that container engines load, and the kernel's AppArmor files.
_PROFILE = "docker-default"
_APPARMOR_ON = Path("/sys/module/apparmor/parameters/enabled")
_APPARMOR_PROFILES = Path("/sys/kernel/security/apparmor/profiles")
_PREFIX = "sectax-oci-"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ANSWER_S = 30.0
_LOOK_EVERY_S, _LOOKS = 0.02, 100
# systrap works without hardware virtualisation.
_OPTIONS = {"runsc": ("--platform", "systrap", "--network", "none", "--ignore-cgroups")}
# First process of new mount and PID namespaces: the kernel kills the whole container with it. Runtimes reject `/` as a
# container's root, and crun rejects a half-mounted second cgroup hierarchy.
_ENTER = 'umount /sys/fs/cgroup/unified 2>/dev/null; mount --bind / "$1" && shift && exec "$@"'
_NAMESPACES = ("--mount", "--propagation", "private", "--pid", "--fork", "--kill-child=KILL", "--mount-proc")


def runtime_word(name: str) -> str:
    """Runtime in a host's name: `runc` of `oci:runc+seccomp`. Raises `WrongUse`."""
    match = _NAME.fullmatch(name)
    if match is None:
        hint = f"use {KIND}:runc, {KIND}:runc+{SECCOMP}, {KIND}:runc+{APPARMOR} or {KIND}:runsc"
        raise WrongUse(f"{name!r} is not a container runtime", hint)
    return match[1]


class OciHost:
    """Implements `Host`: every program runs in a container. Needs root.

    Containers have this machine's files read-only, so the same programs run, and no network. They can write to `WORK`,
    an empty `/tmp`, and their working directory.
    """

    def __init__(self, name: str, find_runtime: Callable[[str], str | None] = shutil.which) -> None:
        """Args: name; function from a runtime to its path. Raises `WrongUse`."""
        self.name = name
        self._word = runtime_word(name)
        self._seccomp = f"+{SECCOMP}" in name
        self._apparmor = f"+{APPARMOR}" in name
        self._find_runtime = find_runtime
        self._folder: Path | None = None
        self._started: dict[str, Child] = {}
        self._numbers = itertools.count(1)
        self._facts: dict[str, str] | None = None

    def start(self, argv: Sequence[str], **how: Unpack[StartOptions]) -> Child:
        cwd, env, runtime, folder = how.get("cwd"), how.get("env"), self._runtime(), self._work_folder()
        self._clear()
        name = f"{folder.name}-{next(self._numbers)}"
        bundle = folder / name
        rootfs = bundle / "rootfs"
        rootfs.mkdir(parents=True)
        where = str(cwd) if cwd is not None else WORK
        writable = {WORK: str(folder / "work")} | ({} if cwd is None else {where: where})
        inside = {"PATH": _PATH, "LANG": os.environ.get("LANG", "C.UTF-8")} if env is None else env
        config = configuration(
            argv,
            where,
            inside,
            name=name,
            writable=writable,
            seccomp=self._seccomp,
            apparmor=_PROFILE if self._apparmor else "",
        )
        # The environment may contain secrets.
        with os.fdopen(os.open(bundle / "config.json", os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w") as file:
            json.dump(config, file)
        run = [*self._command(runtime), "run", "--bundle", str(bundle), name]
        # The namespaces end with their first process, so killing the process group is enough.
        own: StartOptions = {**how, "cwd": None, "env": None, "ends_itself": False}
        child = _LOCAL.start(["unshare", *_NAMESPACES, "sh", "-c", _ENTER, "sh", str(rootfs), *run], **own)
        self._started[name] = child
        return child

    def telemetry(self, child: Child) -> SharedTelemetry:
        """Telemetry of the machine only: the child is the runtime, not the program."""
        return SharedTelemetry(_LOCAL.telemetry(child))

    def find_program(self, word: str, cwd: str | None, env: Mapping[str, str]) -> str:
        try:
            with self.start(("/bin/sh", "-c", 'command -v -- "$0"', word), cwd=cwd) as child:
                return child.receive_line(time.monotonic() + _ANSWER_S).decode(errors="replace").strip()
        except ChildDied as error:
            if error.exit_status not in (1, 127):
                message = f"{self.name} cannot start programs: {error.last_line or error}"
                raise NotFound(message, "run sectax doctor") from error
            raise NotFound(f"{word!r} was not found in {self.name}", "install it on this machine") from error
        except ChildError as error:
            raise NotFound(f"{self.name} cannot start programs: {error}", "run sectax doctor") from error

    def put(self, file: Path) -> str:
        """Copy a file to where containers can read it."""
        copy = self._work_folder() / "work" / file.name
        if not copy.exists():
            try:
                shutil.copy(file, copy)
            except OSError as error:
                raise ChildNotStarted(str(file), error.strerror or str(error)) from error
        return f"{WORK}/{file.name}"

    def on_one_processor(self, claims: Path) -> AbstractContextManager[None]:
        return nullcontext()  # children inherit this machine's processors

    def identity(self) -> dict[str, str]:
        """Facts from inside a container, and its runtime. Raises `ChildError`."""
        if self._facts is None:
            self._facts = facts.collect(self) | {"host.runtime": self._version()}
        return dict(self._facts)

    def circumstances(self) -> dict[str, str]:
        return {}  # those of this machine are recorded anyway

    def _version(self) -> str:
        """Version and hash of the runtime; one built from source may have no version."""
        path = self._runtime()
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
        with contextlib.suppress(ChildError), _LOCAL.start([path, "--version"]) as child:
            version = child.receive_line(time.monotonic() + _ANSWER_S).decode(errors="replace").strip()
            return f"{version}, sha256 {digest}"
        return f"{self._word}, sha256 {digest}"

    def _runtime(self) -> str:
        if os.geteuid() != 0:
            raise ChildNotStarted(self.name, "containers need root")
        path = self._find_runtime(self._word)
        if path is None:
            raise ChildNotStarted(self.name, f"{self._word} is not installed")
        if self._apparmor:
            _check_apparmor(self.name)
        return path

    def _command(self, runtime: str) -> list[str]:
        return [runtime, "--root", str(self._work_folder() / "state"), *_OPTIONS.get(self._word, ())]

    def _work_folder(self) -> Path:
        if self._folder is None:
            _sweep()
            self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=WORK))
            for name in ("work", "state"):
                (self._folder / name).mkdir()
            atexit.register(self._end, self._folder, os.getpid())
        return self._folder

    def _clear(self) -> None:
        for name, child in [*self._started.items()]:
            if child.has_ended:
                del self._started[name]
                _remove_container(self._work_folder(), name)

    def _end(self, folder: Path, owner: int) -> None:
        if os.getpid() != owner:  # in a fork
            return
        for name, child in self._started.items():
            child.kill()
            _remove_container(folder, name)
        _remove(folder)


def _check_apparmor(name: str) -> None:
    if not _APPARMOR_ON.exists() or _APPARMOR_ON.read_text().strip() != "Y":
        raise ChildNotStarted(name, "this kernel has no AppArmor, or it is off")
    with contextlib.suppress(OSError):
        if f"{_PROFILE} (enforce)" in _APPARMOR_PROFILES.read_text().splitlines():
            return
    raise ChildNotStarted(name, f"AppArmor's profile {_PROFILE} is not loaded; container engines load it")


def _remove_container(folder: Path, name: str) -> None:
    """Remove control groups, bundle and runtime state of a container that has ended.

    Not by the runtime itself (`delete --force`): its state has PIDs of the container's namespace, which are other
    processes outside.
    """
    _remove_groups(lambda group: group.name == name)
    for state in (folder / "state").glob(f"{name}*"):
        if state.is_dir():
            shutil.rmtree(state, ignore_errors=True)
        else:
            state.unlink(missing_ok=True)
    _remove_bundle(folder / name)


def _remove_groups(which: Callable[[Path], bool]) -> None:
    for pattern in (f"{_PREFIX}*", f"*/{_PREFIX}*"):  # version 2, and the hierarchies of version 1
        for group in filter(which, Path("/sys/fs/cgroup").glob(pattern)):
            _remove_group(group)


def _remove_group(group: Path) -> None:
    # Killed processes leave the group once they are reaped.
    for _ in range(_LOOKS):
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_LOOK_EVERY_S)


def _sweep() -> None:
    """Remove control groups and folders of killed processes of sectax."""
    _remove_groups(_is_orphaned)
    for folder in filter(_is_orphaned, Path(WORK).glob(f"{_PREFIX}*")):
        _remove(folder)


def _is_orphaned(path: Path) -> bool:
    owner = path.name.removeprefix(_PREFIX).partition("-")[0]
    return owner.isdigit() and not Path("/proc", owner).exists()


def _remove(folder: Path) -> None:
    for part in ("work", "state"):
        shutil.rmtree(folder / part, ignore_errors=True)
    for bundle in folder.glob(f"{_PREFIX}*"):
        _remove_bundle(bundle)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _remove_bundle(bundle: Path) -> None:
    # Never recursively: in a container's namespace, rootfs is this machine's root.
    with contextlib.suppress(OSError):
        (bundle / "config.json").unlink(missing_ok=True)
        (bundle / "rootfs").rmdir()
        bundle.rmdir()
