"""Secrets of the environment do not reach messages through a program's output."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lambda_local.errors import SetUpFailed
from lambda_local.runtimes import installing
from sectax.experiments.client_server.server import log_tail
from sectax.experiments.command.hook import run_hook
from sectax.experiments.database.server import Postgres
from sectax.hosts.registry import host
from sectax.model.errors import SectaxError
from sectax.parts import installer
from sectax.parts.programs import Requirement, missing_program
from sectax.text.masking import masked

ENVIRONMENT = {"MY_TOKEN": "abcdefgh12", "DB_PASSWORD": "abcdefgh", "KEY_COUNT": "12", "PATH": "/usr/bin:/bin"}


def test_values_of_secret_variables_are_masked_longest_first() -> None:
    text = b"token abcdefgh12, password abcdefgh, 12 keys, /usr/bin:/bin"

    assert masked(text, ENVIRONMENT) == b"token [MY_TOKEN], password [DB_PASSWORD], 12 keys, /usr/bin:/bin"


def test_commands_of_a_ci_are_broken_up_where_one_reads_them() -> None:
    text = b"::error::x ##[error]x"

    assert masked(text, {}) == text
    assert masked(text, {"GITHUB_ACTIONS": "true"}) == b": :error: :x ## [error]x"


def fails_with(run: Callable[[], object]) -> str:
    with pytest.raises((SectaxError, SetUpFailed)) as caught:
        run()
    return str(caught.value)


def child_stderr(folder: Path) -> str:
    with host().start(COMMAND) as child:
        child.wait(time.monotonic() + 20)
        return child.stderr_tail.decode()


def server_log(folder: Path) -> str:
    (folder / "log").write_text(f"fatal: {VALUE}\n")
    return log_tail(folder / "log")


def broken_program(folder: Path) -> str:
    (folder / "program").write_text(f"#!/bin/sh\necho {VALUE} >&2; exit 1\n")
    (folder / "program").chmod(0o755)
    lack = missing_program(Requirement(str(folder / "program"), version=">=1"))
    return lack.reason if lack is not None else ""


VALUE = "a-value-of-a-test"
COMMAND = ["/bin/sh", "-c", f"echo {VALUE} >&2; exit 1"]
QUOTES: dict[str, Callable[[Path], str]] = {
    "an installer": lambda folder: fails_with(lambda: installer.run(COMMAND, "failed")),
    "an installer of the local Lambda": lambda folder: fails_with(lambda: installing.run(COMMAND, "failed")),
    "a hook": lambda folder: fails_with(lambda: run_hook(COMMAND, 20)),
    "a child": child_stderr,
    "a server's log": server_log,
    "a database": lambda folder: Postgres({}, ())._safe(f"FATAL: {VALUE}"),
    "a broken program": broken_program,
}


@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_every_quoted_output_is_masked(
    quote: Callable[[Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", VALUE)

    text = quote(tmp_path)

    assert "[A_TOKEN]" in text
    assert VALUE not in text.replace(COMMAND[-1], "")
