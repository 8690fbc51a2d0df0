"""Sessions of the program in the background, and what the run file `r.sectax` of their folder holds."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.program import PROGRAM, sectax


def begin(folder: Path, *words: str, start_new_session: bool = False, **environment: str) -> subprocess.Popen[str]:
    """Start the program, to be interrupted; in a session of its own it has no terminal."""
    return subprocess.Popen(
        [*PROGRAM, *words],
        cwd=folder,
        env=os.environ | environment,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=start_new_session,
    )


def wait_for_block(folder: Path, process: subprocess.Popen[str], blocks: int) -> None:
    """Wait until so many blocks are finished."""
    deadline = time.monotonic() + 200
    while finished_blocks(folder) < blocks:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def finished_blocks(folder: Path) -> int:
    """How many blocks are finished; also of a file that is being written, and 0 without one."""
    try:
        ((number,),) = rows(folder, "SELECT count(*) FROM block WHERE state = 'finished' AND number > 0")
    except sqlite3.Error:
        return 0
    return int(number)


def rows(folder: Path, query: str, *values: str) -> list[tuple[Any, ...]]:
    """What a query finds in the run file."""
    with closing(sqlite3.connect(f"file:{folder / 'r.sectax'}?mode=ro", uri=True)) as db:
        return db.execute(query, values).fetchall()


def shown(folder: Path, *words: str) -> dict[str, Any]:
    """The run as a document: as `sectax show --json` prints it, or another command."""
    document: dict[str, Any] = json.loads(sectax(*(words or ("show",)), "r.sectax", "--json", folder=folder).out)
    return document


def verdicts(document: dict[str, Any], standing: str = "") -> dict[str, str]:
    """The verdict of every treatment; with a standing, of these findings alone."""
    findings = [finding for finding in document["findings"] if standing in ("", finding["standing"])]
    return {finding["treatment"]: finding["verdict"]["id"] for finding in findings}
