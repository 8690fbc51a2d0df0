"""What sectax asks the local Lambda's command: runtimes by their names, and what they lack here."""

from __future__ import annotations

from pathlib import Path

import pytest

from sectax.parts import lambda_local
from sectax.parts.installer import SetUpFailed
from tests.program import sectax

JAVA = "#!/bin/sh\necho 'openjdk version \"17.0.9\" 2023-10-17' >&2\n"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder on PATH, with a Java; the cache is empty."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "java").write_text(JAVA)
    (folder / "java").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    return folder


def test_what_a_runtime_lacks_is_reported_with_sectax_s_own_command(programs):
    (programs / "mvn").write_text("#!/bin/sh\nexit 1\n")
    (programs / "mvn").chmod(0o755)

    lack = lambda_local.missing("java17")

    assert lack is not None
    assert (lack.makable, lack.on_first_use, lack.hint) == (True, False, "sectax setup java17")
    assert lambda_local.others_here() == ("java17",)
    with pytest.raises(SetUpFailed, match="could not be fetched"):
        lambda_local.install("java17")


def test_setup_and_doctor_know_runtimes_by_their_names(programs):
    setup, doctor = sectax("setup", "java21"), sectax("doctor")

    assert setup.status != 0
    assert "the Java on PATH gives java17" in setup.err
    assert "lambda-runtime-java17" in doctor.out
    assert "only functions in java17 need it" in doctor.out
