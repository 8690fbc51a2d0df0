"""The launcher is built once, and there is another where it cannot be built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sectax.experiments.command.launchers import built_launcher, launcher
from sectax.parts import c_programs
from tests.needs import needs


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    launcher.cache_clear()
    yield tmp_path / "cache"
    launcher.cache_clear()


@needs("cc")
def test_one_in_the_cache_that_does_not_run_is_built_again() -> None:
    first = built_launcher()
    Path(first.argv[0]).write_text("cut short")

    assert built_launcher() == first
    assert Path(first.argv[0]).stat().st_size > 10_000


@pytest.mark.parametrize(("compiler", "folder"), [("no-such-compiler", "cache"), ("false", "cache"), ("cc", "file")])
def test_where_it_cannot_be_built_or_kept_it_is_the_python_one(tmp_path, monkeypatch, compiler, folder) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / folder))
    monkeypatch.setattr(c_programs, "COMPILERS", (compiler,))

    assert launcher().name.startswith("python 3.")
