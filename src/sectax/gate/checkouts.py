"""Checkouts of the user's repository, one per revision: built and cached."""

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
from sectax.parts.cache import cache_folder, refuse_foreign
from sectax.run.git import ask_git, changed_files, repository_root, resolve_commit

_BUILT = "built"
_TREE = "tree"
_LOCK = "lock"
# Seconds; a build for a gate takes less than an hour.
_BUILD_S = 3600.0
# Seconds; enough for a large repository on a slow disk.
_CHECKOUT_S = 600.0
# Cached checkouts of a repository; the least recently used are removed.
_KEPT = 6


@dataclass(frozen=True)
class Repository:
    """A git repository that revisions are taken from."""

    root: Path

    @classmethod
    def here(cls) -> Repository:
        """The repository of the current folder. Raises `WrongUse`."""
        root = repository_root()
        if root is None:
            raise WrongUse(
                "this folder is not in a git repository", "change to the repository whose revisions you want to compare"
            )
        return cls(root)

    def commit(self, revision: str) -> str:
        """The commit of a branch, tag or other revision. Raises `WrongUse`."""
        commit = resolve_commit(revision)
        if commit:
            return commit
        if not revision.rpartition("/")[2].strip("0 "):  # 'origin/' and a branch's first push, as CI systems write them
            raise WrongUse(
                f"{revision!r} names no revision: a push has no base branch",
                "run the gate on pull requests, or name a branch, as in --baseline-rev origin/main",
            )
        hint = "git log --oneline lists commits"
        if ask_git("rev-parse", "--is-shallow-repository", cwd=self.root) == "true":
            hint = "this clone is shallow: git fetch --unshallow (on GitHub fetch-depth: 0)"
        raise WrongUse(f"there is no revision {revision!r} in {self.root}", hint)

    @property
    def is_changed(self) -> bool:
        """Whether tracked files differ from the checked-out commit."""
        return bool(changed_files())

    @contextlib.contextmanager
    def cached(self, commit: str, build: str | None) -> Iterator[Path]:
        """A checkout that is built once and cached. Raises `WrongUse`, `HookFailed`."""
        home = _home(self.root)
        folder = home / f"{commit[:SHORT]}-{_short_hash(build or '')}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_foreign(folder)
        with (folder / _LOCK).open("w") as held:
            # Another gate may be using or building the same commit.
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
        """A checkout that is built for one use. Raises `WrongUse`, `HookFailed`."""
        home = _home(self.root)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_foreign(home)
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
            # A build command is a line of shell, as in a Makefile or a CI step.
            run_hook(("/bin/sh", "-c", build), _BUILD_S, cwd=str(tree))
        except HookFailed as error:
            raise HookFailed(f"--build: {error.message}", f"by hand: cd {tree} && {build}") from error

    def _forget_old(self, home: Path) -> None:
        """Remove the least recently used checkouts, failed builds and leftovers."""
        for folder in sorted(home.iterdir(), key=_last_used)[:-_KEPT]:
            # Another gate may have removed it, or may be using it.
            with contextlib.suppress(FileNotFoundError, BlockingIOError), (folder / _LOCK).open("w") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._remove(folder)

    def _remove(self, folder: Path) -> None:
        ask_git("worktree", "remove", "--force", str(folder / _TREE), cwd=self.root, timeout_s=_CHECKOUT_S)
        shutil.rmtree(folder, ignore_errors=True)


def _home(root: Path) -> Path:
    return cache_folder() / "checkouts" / f"{root.name}-{_short_hash(str(root))}"


def _last_used(folder: Path) -> float:
    """Modification time; 0 if another gate has just removed the folder."""
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
