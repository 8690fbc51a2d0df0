"""What was uploaded is unpacked once, and the layers of a function lie over each other as in /opt."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from sectax.stack.lambda_service import work_folder
from sectax.stack.lambda_service.code import BadArchive, CodeStore
from sectax.stack.lambda_service.function import LayerVersion
from sectax.stack.lambda_service.work_folder import WorkFolder
from tests.stack.lambda_service.serving import archive


def layer(store: CodeStore, files: dict[str, str | bytes], number: int) -> LayerVersion:
    return LayerVersion(f"arn:layer:{number}", number, store.add(archive(files)), "", (), "")


def test_the_same_archive_is_unpacked_once(tmp_path):
    store = CodeStore(tmp_path)

    first, second = store.add(archive({"a": "x"})), store.add(archive({"a": "x"}))

    assert first == second
    assert [path.name for path in (tmp_path / "code").iterdir()] == [first.folder.name]


def test_later_layers_lie_over_earlier_ones(tmp_path):
    store = CodeStore(tmp_path)
    layers = (layer(store, {"both": "one", "d/one": ""}, 1), layer(store, {"both": "two", "d/two": ""}, 2))

    opt = store.merge(layers)

    assert opt is not None
    assert (opt / "both").read_text() == "two"
    assert sorted(path.name for path in (opt / "d").iterdir()) == ["one", "two"]
    assert store.merge(()) is None


def test_layers_that_are_too_large_together_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("sectax.stack.lambda_service.code.store.UNPACKED_BYTES", 10)
    store = CodeStore(tmp_path)

    with pytest.raises(BadArchive, match="available size"):
        store.merge((layer(store, {"a": "123456"}, 1), layer(store, {"b": "123456"}, 2)))
    assert list((tmp_path / "opt").iterdir()) == []


def test_sweeping_removes_the_folders_of_the_dead_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    living, dead = WorkFolder(), WorkFolder()
    os.close(dead._lock)  # as the kernel does when a server is killed
    (tmp_path / "other").mkdir()

    work_folder.sweep()

    assert sorted(Path(tmp_path).iterdir()) == sorted([living.path, tmp_path / "other"])
    living.remove()
    assert not living.path.exists()
