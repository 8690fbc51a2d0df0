"""The keys of a run: readable by their owner alone, whole or not at all, and gone when nobody will want them."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from sectax.model.errors import RecordNotWritable
from sectax.run import private_inputs

INPUTS = {"RS256.private_key": "-----BEGIN PRIVATE KEY-----", "HS256.secret": "geheim ü"}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of a user who has named none: it, and what leads to it, does not exist yet."""
    monkeypatch.delenv("SECTAX_STATE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "local" / "state"))
    return tmp_path / "local" / "state" / "sectax"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def files(state: Path) -> list[str]:
    return sorted(path.name for path in (state / "inputs").iterdir())


def test_what_is_kept_is_recalled_until_it_is_forgotten(state: Path) -> None:
    assert private_inputs.recall("00000000000000a1") is None
    private_inputs.keep("00000000000000a1", INPUTS)
    private_inputs.keep("run-2", {"another": "key"})

    assert private_inputs.recall("00000000000000a1") == INPUTS
    private_inputs.forget("00000000000000a1")
    private_inputs.forget("00000000000000a1")
    assert private_inputs.recall("00000000000000a1") is None
    assert files(state) == ["run-2.json"]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_only_the_owner_can_read_them(state: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        private_inputs.keep("00000000000000a1", INPUTS)
    finally:
        os.umask(before)

    # Folders that lead to it are made for the owner alone too.
    assert [mode(folder) for folder in (state / "inputs", state, *state.parents[:2])] == [0o700] * 4
    assert mode(state / "inputs" / "00000000000000a1.json") == 0o600


def test_folders_of_ours_that_are_open_to_others_are_closed(state: Path) -> None:
    (state / "inputs").mkdir(parents=True)
    for folder in (state.parent, state, state / "inputs"):
        folder.chmod(0o777)
    private_inputs.keep("00000000000000a1", INPUTS)

    assert mode(state) == mode(state / "inputs") == 0o700
    assert mode(state.parent) == 0o777  # other programs' things are in it


def test_a_folder_that_the_user_named_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setenv("SECTAX_STATE", str(tmp_path))
    private_inputs.keep("00000000000000a1", INPUTS)

    assert mode(tmp_path) == 0o755
    assert mode(tmp_path / "inputs") == 0o700


def test_a_file_that_was_cut_short_counts_as_gone_and_is_replaced(state: Path) -> None:
    private_inputs.keep("00000000000000a1", INPUTS)
    file = state / "inputs" / "00000000000000a1.json"
    whole = file.read_bytes()
    for content in (whole[:-5], b"", b"[]", b'{"key": 1}', b'{"key": "\xff"}'):
        file.write_bytes(content)
        file.chmod(0o644)

        assert private_inputs.recall("00000000000000a1") is None
        private_inputs.keep("00000000000000a1", INPUTS)
        assert private_inputs.recall("00000000000000a1") == INPUTS
        assert mode(file) == 0o600


def test_a_link_in_their_place_is_replaced_and_not_followed(state: Path, tmp_path: Path) -> None:
    (state / "inputs").mkdir(parents=True)
    target = tmp_path / "somewhere else"
    target.write_text("precious")
    (state / "inputs" / "00000000000000a1.json").symlink_to(target)
    private_inputs.keep("00000000000000a1", INPUTS)

    assert target.read_text() == "precious"
    assert private_inputs.recall("00000000000000a1") == INPUTS


def test_a_file_or_a_link_where_the_folder_should_be_is_named(state: Path, tmp_path: Path) -> None:
    state.mkdir(parents=True)
    (state / "inputs").write_text("")
    with pytest.raises(RecordNotWritable):
        private_inputs.keep("00000000000000a1", INPUTS)
    (state / "inputs").unlink()
    (tmp_path / "elsewhere").mkdir()
    (state / "inputs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RecordNotWritable):
        private_inputs.keep("00000000000000a1", INPUTS)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_is_left_of_runs_long_gone_is_swept(state: Path) -> None:
    for name in ("old", "new"):
        private_inputs.keep(name, INPUTS)
    torn = state / "inputs" / "torn.json.0123"  # killed while it was written
    torn.write_text("{")
    for path in (state / "inputs" / "old.json", torn):
        os.utime(path, (time.time() - 8 * 24 * 3600,) * 2)

    private_inputs.sweep()
    assert files(state) == ["new.json"]
    private_inputs.sweep(older_than_s=-60.0)
    assert files(state) == []


def test_sweeping_touches_only_files_and_never_fails(state: Path, tmp_path: Path) -> None:
    private_inputs.sweep()  # nothing is there
    (state / "inputs" / "folder").mkdir(parents=True)
    (tmp_path / "target").write_text("precious")
    (state / "inputs" / "link").symlink_to(tmp_path / "target")
    private_inputs.sweep(older_than_s=-60.0)

    assert files(state) == ["folder", "link"]
    assert (tmp_path / "target").read_text() == "precious"
