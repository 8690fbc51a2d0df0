"""What people type first, and what it is answered: no dead end, and no hint that names another thing."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sectax.cli.output import write_document
from sectax.experiments.levels import choose
from sectax.model.errors import WrongUse
from sectax.model.treatment import Factor


def test_a_level_that_two_differ_from_in_case_alone_is_not_guessed() -> None:
    with pytest.raises(WrongUse):
        choose((Factor("size", ("1k", "1K")),), {}, {"size": ("1K ",)})


def test_a_page_that_cannot_be_written_whole_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.html"

    class Full:
        def __init__(self, path: Path) -> None:
            os.close(os.open(path, os.O_CREAT))

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def write(self, text: str) -> None:
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(Path, "open", lambda path, *_, **__: Full(path))
    with pytest.raises(WrongUse, match="full"):
        write_document("whole", str(page), "--html")

    assert not page.exists()
