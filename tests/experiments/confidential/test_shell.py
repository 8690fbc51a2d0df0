"""The shell that runs tests on a host: which processors it keeps to there."""

from __future__ import annotations

import os
import subprocess

import pytest

from sectax.experiments.confidential.subject import _PATH, _SHELL

MARK = "sectax-test"
HERE = sorted(os.sched_getaffinity(0))


def ask(where: str, *lines: str, path: str | None = None) -> list[str]:
    words = ["/bin/sh", "-c", _SHELL, MARK, "", _PATH, where]
    environment = None if path is None else {"PATH": path}
    done = subprocess.run(
        words, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, env=environment
    )
    return [line for line in done.stdout.splitlines() if line and not line.startswith(MARK)]


def test_asked_to_it_keeps_to_the_last_processor_that_it_may_use() -> None:
    assert ask("one", "where", "nproc") == [str(HERE[-1]), "1"]


def test_otherwise_it_uses_all_of_them_and_names_none() -> None:
    assert ask("", "where", "nproc") == [str(len(HERE))]


@pytest.mark.parametrize("where", ["one", ""])
def test_without_taskset_it_works_all_the_same(where: str, tmp_path) -> None:
    for name in ("mktemp", "rm", "env", "nproc"):
        os.symlink(f"/usr/bin/{name}", tmp_path / name)

    assert ask(where, "where", "env LC_ALL=C nproc", path=str(tmp_path)) == [str(len(HERE))]
