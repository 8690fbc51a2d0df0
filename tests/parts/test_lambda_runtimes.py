"""What sectax asks the local Lambda's command: runtimes by their names, and what they lack here."""

from __future__ import annotations

from pathlib import Path

import pytest

from sectax.parts import lambda_local
from sectax.parts.installer import SetUpFailed

NODE = "#!/bin/sh\necho v20.11.1\n"
BUILT_WITH = ("autoconf", "automake", "libtoolize", "cmake", "make", "g++", "python3", "npm")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder on PATH, with a Node; the cache is empty."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "node").write_text(NODE)
    (folder / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    return folder


def test_what_a_runtime_lacks_is_reported_with_sectax_s_own_command(programs):
    for name in BUILT_WITH:
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)

    lack = lambda_local.missing("nodejs20.x")

    assert (lack.makable, lack.on_first_use, lack.hint) == (True, False, "sectax setup nodejs20.x")
    assert lambda_local.others_here() == ("nodejs20.x",)
    with pytest.raises(SetUpFailed):
        lambda_local.install("nodejs20.x")
