"""A file takes its place whole: a write that fails leaves what was there, and nothing else."""

from __future__ import annotations

import os
import stat

import pytest

from sectax.parts import files


def test_a_file_is_made_and_replaced(tmp_path):
    for content in (b"old", b"new"):
        files.write_whole(tmp_path / "document", content)

        assert (tmp_path / "document").read_bytes() == content
    assert os.listdir(tmp_path) == ["document"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    files.write_whole(tmp_path / "document", b"old")

    def full(descriptor: int, mode: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fchmod", full)
    with pytest.raises(OSError, match="No space"):
        files.write_whole(tmp_path / "document", b"new", private=True)

    assert (tmp_path / "document").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["document"]


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_a_private_file_is_its_user_s_alone_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        files.write_whole(tmp_path / "key", b"secret", private=True)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_what_cannot_take_its_place_is_removed(tmp_path):
    (tmp_path / "folder").mkdir()

    with pytest.raises(IsADirectoryError):
        files.write_whole(tmp_path / "folder", b"content")

    assert os.listdir(tmp_path) == ["folder"]


def test_a_new_file_never_replaces_another(tmp_path):
    files.write_new(tmp_path / "key", b"first", private=True)

    with pytest.raises(FileExistsError):
        files.write_new(tmp_path / "key", b"second", private=True)
    assert (tmp_path / "key").read_bytes() == b"first"


def test_a_new_file_that_cannot_be_filled_is_not_there(tmp_path, monkeypatch):
    def refuse(descriptor: int, mode: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(files.os, "fchmod", refuse)
    with pytest.raises(OSError, match="Input/output"):
        files.write_new(tmp_path / "key", b"secret", private=True)

    assert os.listdir(tmp_path) == []
