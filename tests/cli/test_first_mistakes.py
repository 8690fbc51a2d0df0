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
from tests.program import sectax

ALGORITHM = Factor("algorithm", ("RS256", "ES256", "rs256x"))


def test_list_of_one_experiment_is_its_factors_alone() -> None:
    result = sectax("list", "jwt")

    assert result.status == 0
    assert "algorithm: RS256" in result.out
    assert "probes" not in result.out


def test_levels_are_known_in_upper_and_lower_case() -> None:
    (chosen,) = choose((ALGORITHM,), {}, {"algorithm": ("es256", "RS256")})

    assert chosen.levels == ("RS256", "ES256")
    with pytest.raises(WrongUse):
        choose((ALGORITHM,), {}, {"algorithm": ("es512",)})


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
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", lambda path, *_, **__: Full(path))
    with pytest.raises(WrongUse, match="No space left"):
        write_document("whole", str(page), "--html")

    assert not page.exists()
