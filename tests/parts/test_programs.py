"""A program that a probe needs may be absent, too old, broken, or lack something; each is named as what it is."""

from __future__ import annotations

import pytest

from sectax.parts import programs
from sectax.parts.programs import Requirement, missing_program

BROKEN = {
    "crashes": "kill -SEGV $$",
    "prints garbage": r"printf '\377\376 nonsense'",
    "fails": "echo 'cannot load libx.so' >&2; exit 127",
    "cannot check": '[ "$1" = --version ] && echo PHP 8.2.1 || kill -ABRT $$',
    "hangs": "exec sleep 60",
}


def put(folder, body: str) -> None:
    (folder / "php").write_text(f"#!/bin/bash\n{body}\n")
    (folder / "php").chmod(0o755)


@pytest.mark.parametrize("case", sorted(BROKEN))
def test_a_broken_program_is_named_as_broken(case, tmp_path, monkeypatch, agreed):
    put(tmp_path, BROKEN[case])
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(programs, "_ASK_TIMEOUT_S", 1 if case == "hangs" else 20)

    lack = missing_program(Requirement("php", ">=8.1", ["php-cli"], ["php", "-r", "exit(0);"]))

    agreed(lack.reason, lack.hint)
    assert lack.apt == ()


def test_a_program_that_lacks_something_is_not_called_broken(tmp_path, monkeypatch, agreed):
    put(tmp_path, '[ "$1" = --version ] && echo PHP 8.2.1')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    lack = missing_program(Requirement("php", ">=8.1", ["php-cli"], ["php", "-r", "exit(1);"]))

    agreed(lack.reason)
    assert lack.apt == ("php-cli",)
