"""TOML of strangers is read in little time, or refused in words."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sectax import prices, published
from sectax.cli import config
from sectax.formats import toml_text
from sectax.formats.bad_input import BadInput
from sectax.model.errors import SectaxError, WrongUse
from sectax.parts import probes

BAD = {
    "arrays": "a = " + "[" * 5000 + "]" * 5000,
    "tables": "a = " + "{a = " * 5000 + "1" + "}" * 5000,
    "a dotted key": "a" + ".a" * 30_000 + " = 1",
    "a dotted header": "[a" + ".a" * 500 + "]\nb = 1",
    "digits": "a = " + "9" * 5000,
    "a size": "# " + "x" * 2**19,
    "no TOML": "a = ",
}


def read_probe(path: Path) -> object:
    path.rename(path.parent / "probe.toml")
    return probes.load(f"own={path.parent}")


READERS: dict[str, Callable[[Path], object]] = {
    "a price list": prices.load,
    "limits and sectax.toml": lambda path: config.read(path, ""),
    "a probe": read_probe,
    "a study": lambda path: published.read(path.read_text()),
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_deep_and_large_files_are_refused_by_every_reader(
    tmp_path: Path, read: Callable[[Path], object], text: str
) -> None:
    (tmp_path / "a.toml").write_text(text)
    began = time.perf_counter()

    with pytest.raises(SectaxError) as caught:
        read(tmp_path / "a.toml")
    assert isinstance(caught.value, WrongUse | BadInput)
    assert len(caught.value.message) < 500
    assert time.perf_counter() - began < 2


def test_an_ordinary_document_is_read() -> None:
    assert toml_text.parse("a.b = [1.5, 2]\n[c.d]\ne = {f = 'g'}") == {
        "a": {"b": [1.5, 2]},
        "c": {"d": {"e": {"f": "g"}}},
    }
