"""What was uploaded is unpacked once, and the layers of a function lie over each other as in /opt."""

from __future__ import annotations

import errno
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lambda_local.code.layout import BadArchive
from lambda_local.code.store import CodeStore
from lambda_local.errors import LambdaLocalError
from lambda_local.function import LayerVersion
from lambda_local.sandbox import leave, sweep
from lambda_local.work_folder import new_folder
from tests.lambda_local.archives import LINK, archive, zipped


def layer(store: CodeStore, files: dict[str, str | bytes], number: int) -> LayerVersion:
    return LayerVersion(f"arn:layer:{number}", number, store.add(archive(files)))


def test_the_same_archive_is_unpacked_once(tmp_path):
    store = CodeStore(tmp_path)

    first, second = store.add(archive({"a": "x"})), store.add(archive({"a": "x"}))

    assert first == second
    assert [path.name for path in (tmp_path / "code").iterdir()] == [first.folder.name]


def test_later_layers_lie_over_earlier_ones(tmp_path):
    store = CodeStore(tmp_path)
    layers = (layer(store, {"both": "one", "d/one": ""}, 1), layer(store, {"both": "two", "d/two": ""}, 2))

    opt = store.merge(layers)

    assert (opt / "both").read_text() == "two"
    assert sorted(path.name for path in (opt / "d").iterdir()) == ["one", "two"]
    assert store.merge(()) is None


def test_files_keep_the_times_of_the_zip_and_so_do_those_of_merged_layers(tmp_path):
    store = CodeStore(tmp_path)
    uploaded = layer(store, {"d/a": "x"}, 1)

    opt = store.merge((uploaded,))

    assert opt is not None
    times = [(folder / "d" / "a").stat().st_mtime for folder in (uploaded.code.folder, opt)]
    assert times == [datetime(2026, 1, 1, tzinfo=UTC).timestamp()] * 2


def links(store: CodeStore, targets: dict[str, str], number: int) -> LayerVersion:
    entries = [(name, target, LINK) for name, target in targets.items()]
    return LayerVersion(f"arn:layer:{number}", number, store.add(zipped(*entries)))


def test_a_link_that_leaves_only_through_another_layers_links_is_refused(tmp_path):
    store = CodeStore(tmp_path / "server" / "work")
    victim = tmp_path / "victim"
    victim.mkdir()
    # Alone each is harmless: there is no a/b/c/d in the first layer, and '.' leads nowhere.
    layers = (
        links(store, {"x": "a/b/c/d/../../../../victim"}, 1),
        links(store, dict.fromkeys("abcd", "."), 2),
        layer(store, {"x/file": "written by a layer"}, 3),
    )

    for some in (layers, layers[:2], layers[::-1]):
        with pytest.raises(BadArchive, match="layers"):
            store.merge(some)

    assert list(victim.iterdir()) == []


def test_a_later_file_takes_the_place_of_a_link_and_is_not_written_through_it(tmp_path):
    store = CodeStore(tmp_path)
    with_link = layer(store, {"kept": "as it was"}, 1), links(store, {"x": "kept"}, 2)
    over = layer(store, {"x": "new"}, 3)

    opt = store.merge((*with_link, over))

    assert ((opt / "kept").read_text(), (opt / "x").read_text()) == ("as it was", "new")
    assert not (opt / "x").is_symlink()


def test_links_that_multiply_are_refused_in_bounded_time(tmp_path):
    through_each_other = {"long": "d/../" * 200, **{f"l{number}": "long/" * 39 for number in range(80)}}

    with pytest.raises(BadArchive, match="links"):
        links(CodeStore(tmp_path), through_each_other, 1)


def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path, monkeypatch):
    def full(*arguments: object, **more: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("lambda_local.code.layout.Path.mkdir", full)

    with pytest.raises(LambdaLocalError, match=os.strerror(errno.ENOSPC)):
        CodeStore(tmp_path).add(archive({"folder/file": "x"}))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_sweeping_removes_the_folders_of_the_dead_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    living, dead = new_folder(), new_folder()
    os.close(dead.lock)  # as the kernel does when a server is killed
    (tmp_path / "other").mkdir()
    unfinished = [tmp_path / f".new-lambda-local-{name}" for name in ("long-ago", "just-now")]
    for folder in unfinished:
        folder.mkdir()
    os.utime(unfinished[0], (0, 0))

    assert sorted(sweep()) == sorted([dead.path.name, unfinished[0].name])
    assert sorted(tmp_path.iterdir()) == sorted([living.path, tmp_path / "other", unfinished[1]])
    leave(living)
    assert not living.path.exists()


def test_a_half_written_archive_of_a_killed_process_is_not_used(tmp_path, monkeypatch):
    def killed(source: object, target: object) -> None:
        raise KeyboardInterrupt

    store, data = CodeStore(tmp_path), archive({"a": "x"})
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            store.add(data)

    other = CodeStore(tmp_path)
    assert not list((tmp_path / "code").iterdir())
    assert (other.add(data).folder / "a").read_text() == "x"
    other.remove_but(set())
    assert not list(tmp_path.glob("*/*"))


def test_archives_say_their_size_unpacked_and_those_over_50_mb_are_rejected(tmp_path, monkeypatch):
    data = archive({"a/b": bytes(1000), "c": b"four"})

    assert CodeStore(tmp_path).add(data).unpacked == 1004
    monkeypatch.setattr("lambda_local.code.store.ZIPPED_BYTES", 100)
    with pytest.raises(BadArchive, match="100 bytes"):
        CodeStore(tmp_path).add(data)
