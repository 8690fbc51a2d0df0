"""Revisions of the user's repository beside each other: a checkout of each, built by the user's command, and kept."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sectax.experiments.command.hook import HookFailed, run_hook
from sectax.model.environment import SHORT
from sectax.model.errors import WrongUse
from sectax.parts.cache import cache_folder
from sectax.run.git import ask_git, resolve_commit

_BUILT = "built"
_TREE = "tree"
_LOCK = "lock"
# A build of an hour is no build of a gate.
_BUILD_S = 3600.0
# A large repository on a slow disk.
_CHECKOUT_S = 600.0
# So many checkouts of a repository are kept, the last used ones.
_KEPT = 6


@dataclass(frozen=True)
class Repository:
    """A git repository that revisions are taken from."""

    root: Path

    @classmethod
    def here(cls) -> Repository:
        """The one that the current folder is in. Raises `WrongUse`."""
        root = ask_git("rev-parse", "--show-toplevel")
        if not root:
            raise WrongUse("this folder is in no git repository", "go to the one whose revisions are to be compared")
        return cls(Path(root))

    def commit(self, revision: str) -> str:
        """The commit of a branch, a tag or whatever else names one. Raises `WrongUse`."""
        commit = resolve_commit(revision)
        if not commit:
            hint = "git log --oneline names them; a shallow clone has few: git fetch --unshallow"
            raise WrongUse(f"there is no revision {revision!r} in {self.root}", hint)
        return commit

    @property
    def is_changed(self) -> bool:
        """Whether files that git tracks differ from the commit that is checked out."""
        return bool(ask_git("status", "--porcelain", "--untracked-files=no"))

    @contextlib.contextmanager
    def kept(self, commit: str, build: str | None) -> Iterator[Path]:
        """A checkout that is built once and kept for the next time. Raises `WrongUse`, `HookFailed`."""
        home = _home(self.root)
        folder = home / f"{commit[:SHORT]}-{_short_hash(build or '')}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / _LOCK).open("w") as held:
            # Another gate may measure the same commit, or build it.
            fcntl.flock(held, fcntl.LOCK_SH)
            if not (folder / _BUILT).exists():
                fcntl.flock(held, fcntl.LOCK_EX)
                if not (folder / _BUILT).exists():
                    self._make(folder, commit, build)
                    (folder / _BUILT).touch()
                fcntl.flock(held, fcntl.LOCK_SH)
            os.utime(folder)
            yield folder / _TREE
        self._forget_old(home)

    @contextlib.contextmanager
    def fresh(self, commit: str, build: str | None) -> Iterator[Path]:
        """A checkout that is built for this one use. Raises `WrongUse`, `HookFailed`."""
        home = _home(self.root)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="fresh-", dir=home))
        with (folder / _LOCK).open("w") as held:
            fcntl.flock(held, fcntl.LOCK_SH)
            try:
                self._make(folder, commit, build)
                yield folder / _TREE
            finally:
                self._remove(folder)

    def _make(self, folder: Path, commit: str, build: str | None) -> None:
        tree = folder / _TREE
        if tree.exists():
            shutil.rmtree(tree)
        ask_git("worktree", "prune", cwd=self.root)
        if ask_git("worktree", "add", "--detach", str(tree), commit, cwd=self.root, timeout_s=_CHECKOUT_S) is None:
            raise WrongUse(
                f"git made no checkout of {commit[:SHORT]} in {tree}",
                f"try it by hand, it says why: git -C {self.root} worktree add --detach {tree} {commit[:SHORT]}",
            )
        if build is None:
            return
        try:
            # A build is a line of shell, as in a Makefile or in the steps of a CI.
            run_hook(("/bin/sh", "-c", build), _BUILD_S, cwd=str(tree))
        except HookFailed as error:
            raise HookFailed(f"--build: {error.message}", f"by hand: cd {tree} && {build}") from error

    def _forget_old(self, home: Path) -> None:
        """Remove what was used longest ago; a build that failed and what a killed gate left are among them."""
        for folder in sorted(home.iterdir(), key=_last_used)[:-_KEPT]:
            # Another gate may have removed it, or be using it.
            with contextlib.suppress(FileNotFoundError, BlockingIOError), (folder / _LOCK).open("w") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._remove(folder)

    def _remove(self, folder: Path) -> None:
        ask_git("worktree", "remove", "--force", str(folder / _TREE), cwd=self.root, timeout_s=_CHECKOUT_S)
        shutil.rmtree(folder, ignore_errors=True)


def _home(root: Path) -> Path:
    return cache_folder() / "checkouts" / f"{root.name}-{_short_hash(str(root))}"


def _last_used(folder: Path) -> float:
    """When, by the clock of the file system; 0 where another gate has just removed it."""
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
