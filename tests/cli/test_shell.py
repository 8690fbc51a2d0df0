"""`sectax setup shell` writes completion, and it completes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import sectax


@pytest.fixture
def written(tmp_path: Path) -> Path:
    result = sectax("setup", "shell", HOME=str(tmp_path), XDG_DATA_HOME="", XDG_CONFIG_HOME="")
    assert result.status == 0, result.err
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert f"wrote {path}" in result.err
    return tmp_path


def test_a_second_time_nothing_is_written(written):
    before = {path: path.stat().st_mtime_ns for path in written.rglob("*")}

    result = sectax("setup", "shell", HOME=str(written), XDG_DATA_HOME="", XDG_CONFIG_HOME="")

    assert "wrote" not in result.err
    assert {path: path.stat().st_mtime_ns for path in written.rglob("*")} == before


@pytest.mark.parametrize(
    ("words", "comes"),
    [
        ("ru", {"run", "runs"}),
        ("run comm", {"command"}),
        ("run command --warm", {"--warmup"}),
        ("setup s", {"s3", "secrets", "shell"}),
        ("help com", {"compare"}),
        ("run jwt --level al", {"algorithm="}),
        ("run jwt --level algorithm=RS256,Ed", {"algorithm=RS256,EdDSA", "algorithm=RS256,Ed448"}),
        ("run command --level command=", {"command=baseline"}),
    ],
)
def test_what_can_come_next(words, comes):
    """As the shells ask for it."""
    result = sectax(_SECTAX_COMPLETE="bash_complete", COMP_WORDS=f"sectax {words}", COMP_CWORD=str(len(words.split())))

    assert {line.partition(",")[2] for line in result.out.splitlines()} == comes
