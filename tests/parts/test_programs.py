"""A program that a probe needs may be absent, too old, broken, or lack something; each is named as what it is."""

from __future__ import annotations

import pytest

from sectax.parts import programs
from sectax.parts.programs import Requirement, missing_program
from tests.program import sectax

BROKEN = {
    "crashes": ("kill -SEGV $$", "killed by signal 11"),
    "prints garbage": (r"printf '\377\376 nonsense'", "names no version"),
    "fails": ("echo 'cannot load libx.so' >&2; exit 127", "exit status 127: cannot load libx.so"),
    "cannot check": ('[ "$1" = --version ] && echo PHP 8.2.1 || kill -ABRT $$', "killed by signal 6"),
    "hangs": ("sleep 60", "did not end within 1 s"),
}


def put(folder, body: str) -> None:
    (folder / "php").write_text(f"#!/bin/bash\n{body}\n")
    (folder / "php").chmod(0o755)


@pytest.mark.parametrize("case", sorted(BROKEN))
def test_a_broken_program_is_named_as_broken(case, tmp_path, monkeypatch):
    body, says = BROKEN[case]
    put(tmp_path, "exec sleep 60" if case == "hangs" else body)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(programs, "_ASK_TIMEOUT_S", 1 if case == "hangs" else 20)

    lack = missing_program(Requirement("php", ">=8.1", ["php-cli"], ["php", "-r", "exit(0);"]))

    assert "php is broken" in lack.reason
    assert says in lack.reason
    assert "reinstall" in lack.hint
    assert lack.apt == ()


def test_a_program_that_lacks_something_is_not_called_broken(tmp_path, monkeypatch):
    put(tmp_path, '[ "$1" = --version ] && echo PHP 8.2.1')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    lack = missing_program(Requirement("php", ">=8.1", ["php-cli"], ["php", "-r", "exit(1);"]))

    assert "lacks what the probe needs" in lack.reason
    assert lack.apt == ("php-cli",)


def test_a_check_that_prints_the_version_saves_a_start(tmp_path, monkeypatch):
    put(tmp_path, f'echo "$@" >>{tmp_path}/starts; echo 8.2.1; [ "$2" != "exit(1);" ]')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    good = missing_program(Requirement("php", ">=8.1", [], ["php", "-r", "exit(0);"]))
    old = missing_program(Requirement("php", ">=8.3", [], ["php", "-r", "exit(0);"]))
    lacking = missing_program(Requirement("php", ">=8.1", [], ["php", "-r", "exit(1);"]))

    assert good is None
    assert "php 8.2.1 is too old, 8.3 is needed" in old.reason
    assert "lacks what the probe needs" in lacking.reason
    assert len((tmp_path / "starts").read_text().splitlines()) == 3


def test_list_names_a_broken_php(tmp_path):
    put(tmp_path, "kill -SEGV $$")

    result = sectax("list", PATH=f"{tmp_path}:/usr/bin:/bin")

    assert result.status == 0
    assert "php is broken: " in result.out
