"""AWS's agent is built once, checked before use, and its absence is told with what helps."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sectax.experiments.secrets import agent
from sectax.parts import installer
from sectax.parts import registry as parts
from sectax.parts.installer import SetUpFailed

CRATE = b"the crate"


@pytest.fixture
def cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cargo of a few lines: it fetches a crate and leaves a program, or does what the file `order` says."""
    program = tmp_path / "bin" / "cargo"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        "echo '   Compiling one v1' >&2\n"
        f"[ -e {tmp_path}/order ] && . {tmp_path}/order\n"
        'while [ "$1" != --root ]; do shift; done\n'
        'mkdir -p "$2/bin" "$CARGO_TARGET_DIR" "$CARGO_HOME/registry/cache/index"\n'
        f'printf "{CRATE.decode()}" > "$CARGO_HOME/registry/cache/index/{agent.CRATE}-{agent.VERSION}.crate"\n'
        f'echo program > "$2/bin/{agent.PROGRAM}"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(agent, "_CRATE_SHA256", hashlib.sha256(CRATE).hexdigest())
    monkeypatch.setattr(installer, "EVERY_S", 0.1)
    return tmp_path / "order"


def test_it_is_built_once_with_progress_and_nothing_else_is_left(cargo: Path, tmp_path: Path) -> None:
    cargo.write_text("sleep 1\n")
    said: list[str] = []
    parts.set_up(parts.load("secrets:agent"), said.append)

    assert agent.program().read_text() == "program\n"
    assert any("1 of 287 crates" in line for line in said)
    assert [path.name for path in (tmp_path / "cache" / "secrets").iterdir()] == [agent.program().parent.name]
    again: list[str] = []
    parts.set_up(parts.load("secrets:agent"), again.append)
    assert again == []


def test_a_program_that_has_changed_is_not_used_and_is_built_again(cargo: Path) -> None:
    parts.set_up(parts.load("secrets:agent"), lambda line: None)
    agent.program().write_text("another\n")

    with pytest.raises(SetUpFailed):
        agent.program()
    parts.set_up(parts.load("secrets:agent"), lambda line: None)
    assert agent.program().read_text() == "program\n"


def test_another_crate_under_the_same_version_is_refused(cargo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "_CRATE_SHA256", "0" * 64)

    with pytest.raises(SetUpFailed, match=agent.CRATE):
        agent.build(lambda line: None)
    assert agent.missing() is not None
