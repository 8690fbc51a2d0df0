"""Ask git about the current folder's repository, without starting programs that the repository names."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sectax.model.environment import CHANGED, JOB, REVISION

# What identifies a CI job; nothing here is secret. GitHub's, then GitLab's.
_JOB = (
    *("GITHUB_REPOSITORY", "GITHUB_REF_NAME", "GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB"),
    *("CI_PROJECT_PATH", "CI_COMMIT_REF_NAME", "CI_COMMIT_SHA", "CI_PIPELINE_ID", "CI_JOB_ID"),
)
# The folder may be an untrusted repository, whose settings name programs that git would start.
_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_TIMEOUT_S = 5.0


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
    changes = ask_git("status", "--porcelain", "--untracked-files=no")
    changed = {} if changes is None else {CHANGED: "yes" if changes else "no"}
    return {REVISION: commit, **changed, **job}


def resolve_commit(revision: str) -> str | None:
    """The commit of a branch, tag or other revision of the current folder's repository."""
    # After this option git reads no further options, whatever the revision begins with.
    return ask_git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def ask_git(*words: str, cwd: Path | None = None, timeout_s: float = _TIMEOUT_S) -> str | None:
    """What git prints; None if it fails, is missing or takes too long."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        done = subprocess.run(
            [git, *_NO_PROGRAMS, *words],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            cwd=cwd,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
