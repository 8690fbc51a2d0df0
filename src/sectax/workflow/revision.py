"""Which revision of the user's code was measured, and in which job of a continuous integration."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sectax.model.environment import CHANGED, JOB, REVISION

# What tells a job from others; nothing here is secret. GitHub's, then GitLab's.
_JOB = (
    *("GITHUB_REPOSITORY", "GITHUB_REF_NAME", "GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB"),
    *("CI_PROJECT_PATH", "CI_COMMIT_REF_NAME", "CI_COMMIT_SHA", "CI_PIPELINE_ID", "CI_JOB_ID"),
)
# A folder may hold somebody else's repository, whose settings name programs that git would start.
_STARTS_NOTHING = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_TIMEOUT_S = 5.0


def revision(environment: Mapping[str, str] = os.environ, checkout: str | None = None) -> dict[str, str]:
    """The commit, whether files differ from it, and the job; empty where there is neither.

    Args:
        checkout: the commit, where what is measured is a checkout of it; None for that of the current folder.
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


def ask_git(*words: str, cwd: Path | None = None, timeout_s: float = _TIMEOUT_S) -> str | None:
    """What git prints; None where it cannot say, or fails."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        done = subprocess.run(
            [git, *_STARTS_NOTHING, *words],
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
