"""An interrupt is quiet, and has its status, from the first import on."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Sends itself SIGINT when a module is imported; an import that swallows the exception raises another in its place.
PROGRAM = """
import os, signal, sys, time
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(5)
            except KeyboardInterrupt:
                {reaction}
sys.meta_path.insert(0, Finder())
sys.argv = ["sectax", "list"]
from sectax.program import main
main()
"""


@pytest.mark.parametrize(
    ("module", "reaction"),
    [
        ("sectax.cli.main", "raise"),
        ("click", "raise"),
        ("sectax.cli.list", "raise"),
        ("sectax.cli.list", "raise ImportError('a library was interrupted')"),
    ],
)
def test_an_interrupted_import_is_quiet(module: str, reaction: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(module=module, reaction=reaction)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert (ended.returncode, ended.stdout, ended.stderr.strip()) == (130, "", "")
