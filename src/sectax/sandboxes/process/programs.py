"""Finds the program that a command names, as a shell would."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from sectax.model.printable import printable


class NotFound(Exception):
    """There is no such program. The message says why, `hint` what to try."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def find_program(word: str, cwd: str | None, env: Mapping[str, str]) -> str:
    """The path of a program.

    Args:
        word: as the user typed it; with a slash it is a path, seen from *cwd*, without one it is looked for on PATH.
        cwd: where the command runs; None for here.
        env: what is added to the environment; its PATH counts.
    Raises:
        NotFound: it is not there, or may not be executed.
    """
    shown = printable(word, 200)
    if os.sep not in word:
        path = shutil.which(word, path=env.get("PATH"))
        if path is None:
            raise NotFound(
                f"{shown!r} was not found on PATH",
                "give its path, or --shell where it is a shell's own word (a pipe, a variable, a built-in)",
            )
        return os.path.abspath(path)
    path = os.path.abspath(os.path.join(cwd or os.getcwd(), word))
    if not os.path.exists(path):
        raise NotFound(f"{shown!r} was not found", f"relative paths are seen from {cwd or os.getcwd()}")
    if os.path.isdir(path):
        raise NotFound(f"{shown!r} is a folder", "name the program in it")
    if not os.access(path, os.X_OK):
        raise NotFound(f"{shown!r} may not be executed", f"chmod +x {shown}")
    return path
