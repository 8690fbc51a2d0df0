"""The search for a marker in a server's files."""

from __future__ import annotations

import os
from pathlib import Path

from sectax.experiments.s3 import proof


def test_a_marker_is_found_wherever_it_lies(tmp_path: Path) -> None:
    marker = b"0123456789abcdef"
    for offset in (0, 1, 4089, 4096, 12_582_911):
        (tmp_path / "deep").mkdir(exist_ok=True)
        (tmp_path / "deep" / "part.1").write_bytes(bytes(offset) + marker + bytes(100))

        assert proof.contains_marker(proof.files_below(tmp_path), marker), offset
        assert not proof.contains_marker(proof.files_below(tmp_path), marker[::-1])


def test_files_from_before_are_left_out_and_empty_ones_hold_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "old").write_bytes(b"marker")
    os.utime(tmp_path / "old", (1_000, 1_000))

    assert proof.contains_marker(proof.files_below(tmp_path), b"marker", 1_000)
    assert not proof.contains_marker(proof.files_below(tmp_path), b"marker", 1_001)


def test_what_was_just_written_is_in_the_page_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(1_000_000))

    share = proof.cached_share([tmp_path / "file"])

    assert share is None or share == 1.0
    assert proof.cached_share(proof.files_below(tmp_path / "nothing")) is None
