"""git, in a repository of a test."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """What git prints."""
    own = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
    return subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, message: str = "a change") -> None:
    """Commit every file."""
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", message)
