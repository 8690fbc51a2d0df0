"""Ask git about a repository without starting programs that it names."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sectax.model.environment import CHANGED, JOB, REVISION

# What identifies a CI job; nothing here is secret. GitHub's, then GitLab's.
_JOB = (
    *("GITHUB_REPOSITORY", "GITHUB_REF_NAME", "GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB"),
    *("CI_PROJECT_PATH", "CI_COMMIT_REF_NAME", "CI_COMMIT_SHA", "CI_PIPELINE_ID", "CI_JOB_ID"),
)
# The folder may be an untrusted repository, whose own configuration names programs that git would start.
_NO_PROGRAMS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "protocol.allow=never",
    "submodule.recurse=false",
)
_NO_PROGRAMS_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_NO_FILTER = ("clean=", "smudge=", "process=", "required=false")
_OWN_SCOPES = ("local", "worktree")  # settings of the repository itself, in contrast to those of the user
_TIMEOUT_S = 5.0
_READ_S = 60.0  # a branch with many run files
_CHUNK = 1 << 20
_MOST_TEXT = 1 << 20  # a file of settings


def revision_facts(environment: Mapping[str, str] = os.environ, checkout: str | None = None) -> dict[str, str]:
    """The commit, whether files differ from it, and the CI job; empty without both.

    Args:
        checkout: the commit, if a checkout of it is measured; None for that of the current folder.
    """
    job = {f"{JOB}{name}": environment[name] for name in _JOB if environment.get(name)}
    if checkout is not None:
        return {REVISION: checkout, CHANGED: "no", **job}
    commit = ask_git("rev-parse", "HEAD")
    if not commit:
        return job
    changes = changed_files()
    changed = {} if changes is None else {CHANGED: "yes" if changes else "no"}
    return {REVISION: commit, **changed, **job}


def repository_root() -> Path | None:
    """The root of the current folder's work tree; None if it has none."""
    root = ask_git("rev-parse", "--show-toplevel")
    return Path(root) if root else None


def resolve_commit(revision: str) -> str | None:
    """The commit of a branch, tag or other revision of this repository."""
    # After this option git reads no further options, whatever the revision begins with.
    return ask_git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def changed_files(cwd: Path | None = None) -> str | None:
    """The tracked files that differ from the commit; None if git cannot tell."""
    # A submodule has a configuration of its own.
    return ask_git("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all", cwd=cwd)


@dataclass(frozen=True)
class Blob:
    """A file of a commit."""

    path: str
    object_id: str
    size: int


def list_blobs(commit: str, suffix: str) -> list[Blob] | None:
    """The files of a commit whose names have this suffix; None if git cannot tell."""
    listed = ask_git("ls-tree", "-r", "-l", "-z", "--full-tree", commit, timeout_s=_READ_S)
    if listed is None:
        return None
    blobs = []
    for entry in filter(None, listed.split("\0")):
        facts, _, path = entry.partition("\t")
        mode, _, object_id, size = facts.split()
        if mode.startswith("100") and path.endswith(suffix):
            if not size.isdigit():  # the clone lacks it
                return None
            blobs.append(Blob(path, object_id, int(size)))
    return blobs


def copy_blobs(blobs: Sequence[Blob], targets: Sequence[Path]) -> bool:
    """Copy files of commits without filters; False if git lacks one."""
    with tempfile.TemporaryFile() as printed:
        wanted = "".join(f"{blob.object_id}\n" for blob in blobs).encode()
        if _run_git(("cat-file", "--batch"), (), None, _READ_S, wanted, printed) is None:
            return False
        printed.seek(0)
        for blob, target in zip(blobs, targets, strict=True):
            if printed.readline().split() != [blob.object_id.encode(), b"blob", b"%d" % blob.size]:
                return False
            with target.open("wb") as copy:
                for start in range(0, blob.size, _CHUNK):
                    copy.write(printed.read(min(_CHUNK, blob.size - start)))
            printed.read(1)  # the line feed after each object
    return True


def read_blob(commit: str, path: str) -> str | None:
    """The text of a commit's file; None if it is not there, too large, or not UTF-8."""
    size = ask_git("cat-file", "-s", f"{commit}:{path}")
    if size is None or int(size) > _MOST_TEXT:
        return None
    content = _run_git(("cat-file", "blob", f"{commit}:{path}"), (), None, _TIMEOUT_S)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        return None


def ask_git(*words: str, cwd: Path | None = None, timeout_s: float = _TIMEOUT_S) -> str | None:
    """What git prints; None if it fails, is missing or takes too long.

    Starts no program that the repository's own configuration names.
    """
    listed = _run_git(("config", "--includes", "--show-scope", "--null", "--list"), (), cwd, timeout_s)
    printed = None if listed is None else _run_git(words, _blanked_filters(listed), cwd, timeout_s)
    return None if printed is None else printed.decode(errors="replace").strip()


def _blanked_filters(listed: bytes) -> tuple[str, ...]:
    """Settings that switch off the filters of a repository's configuration.

    Args:
        listed: the configuration as scope NUL key LF value NUL.
    """
    fields = listed.decode(errors="surrogateescape").split("\0")
    keys = {
        entry.partition("\n")[0]
        for scope, entry in zip(fields[::2], fields[1::2], strict=False)
        if scope in _OWN_SCOPES
    }
    drivers = {key.split(".", 1)[1].rpartition(".")[0] for key in keys if key.startswith("filter.")}
    return tuple(f"filter.{driver}.{setting}" for driver in sorted(drivers) for setting in _NO_FILTER)


def _run_git(
    words: Sequence[str],
    settings: Sequence[str],
    cwd: Path | None,
    timeout_s: float,
    given: bytes = b"",
    out: IO[bytes] | None = None,
) -> bytes | None:
    """What git prints, or empty if that goes to *out*; None if it fails."""
    git = shutil.which("git")
    if git is None or any("=" in setting.rpartition("=")[0] for setting in settings):
        return None  # `-c` cannot name a driver with = in its name
    try:
        done = subprocess.run(
            [git, *(word for setting in (*_NO_PROGRAMS, *settings) for word in ("-c", setting)), *words],
            input=given,
            stdout=out or subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=os.environ | _NO_PROGRAMS_ENVIRONMENT,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return (done.stdout or b"") if done.returncode == 0 else None
