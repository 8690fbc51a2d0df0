"""Every command of every page of the documentation: it is run, or a line below says why it cannot be.

All commands of a page are run in one folder, in the order in which they stand. `RUN`, `FILE` and the files that readers
have are there already. README.md, which is the first to be read, has a stricter test of its own.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sectax.record.writer import RunWriter
from tests.docs.blocks import blocks
from tests.needs import needs
from tests.program import sectax
from tests.record.runs import ENVIRONMENT, FORMAT_1

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("functions/*/README.md"),
        *(ROOT / name for name in ("CONTRIBUTING.md", "probes/PROTOCOL.md", "clients/PROTOCOL.md")),
    ]
)
# Made from the program, and compared with it elsewhere.
REFERENCE = {"commands.md", "audit-published.md"}
# A block whose first word is one of these is commands; any other is a file, an output or a program in some language.
PROGRAMS = {"$", "sectax", "python", "make", "sqlite3", "aws", "export", "curl", "pip", "uv", "git", "docker", "sudo"}


@dataclass(frozen=True)
class Rule:
    """What is done with a line that it fits: `reason` says why it is not run, and `instead` does what can be done."""

    fits: re.Pattern[str]
    reason: str = ""
    instead: Callable[[str, Path], None] | None = None


def dry(line: str, folder: Path) -> None:
    """The plan is made: every option and level is there. Its file is there too, for the lines that read it."""
    works(f"{re.sub(r' --out [^ ]+', '', line.partition(' # ')[0])} --dry-run", folder)


def works(line: str, folder: Path, allowed: frozenset[int] = frozenset({0})) -> None:
    words = shlex.split(line, comments=True)
    if words[0] == "sectax":
        result = sectax(*words[1:], folder=folder, simulated=1)
        assert result.status in allowed, f"{line}\n{result.out}\n{result.err}"
        return
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100)
    assert done.returncode in allowed, f"{line}\n{done.stderr}"


def is_a_module(line: str, folder: Path) -> None:
    module = shlex.split(line, comments=True)[2]
    assert importlib.util.find_spec(module) is not None, line


def is_a_target(line: str, folder: Path) -> None:
    works(f"make -n {shlex.split(line, comments=True)[1]}", ROOT)


def says_yes_no_or_perhaps(line: str, folder: Path) -> None:
    works(line, folder, frozenset({0, 1, 4}))


_ELSEWHERE = "it needs a run of that experiment, which takes minutes: tests/run makes one"
RULES = tuple(
    Rule(re.compile(pattern), *rest)
    for pattern, *rest in (
        (r"python -m benchmarks", "it measures for minutes: benchmarks/run --short tries it", is_a_module),
        (r"make ", "it tests or measures for minutes", is_a_target),
        (r"sectax setup", "it installs and builds, for minutes"),
        (r"sectax lambda serve", "a server, until it is stopped: tests/lambda_local starts it"),
        (r"sectax run confidential .*ssh://", "it needs those machines: tests/run logs in to this one"),
        (r"sectax run s3 .*--ca ", "it needs the reader's service: tests/run has one"),
        (r"sectax run http .*--ca ", "it needs the reader's services: tests/run has some"),
        (r"sectax run function ", "it needs the reader's functions: tests/run has its own"),
        (r"sectax compare \S+ published:(hmac|s3|secrets|confidential)", _ELSEWHERE),
        (r"sectax advise (five\.sectax|.*--(under|calls|mix))", _ELSEWHERE),
        (r"sectax gate ", "it needs a repository with two revisions: tests/gate makes one"),
        (r"sectax trust", "it needs a sectax.toml: tests/cli/test_trust.py has some"),
        (r"sectax history ", "it needs many runs: tests/gate makes some"),
        (r"sectax audit TARGET", "the form of the command; TARGET stands for all that the table below it names"),
        (r"sectax run command .*--host", "it needs the script beside it: tests/run runs both"),
        (r"sectax run command .*--fail-if", "", says_yes_no_or_perhaps),
        (r"sectax run (?!command)", "it measures for minutes", dry),
        (r"sectax |sqlite3 ", "", works),
    )
)


def commands(page: Path) -> list[str]:
    """The command lines of a page, in order."""
    found = []
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.commands[0].split()[0] in PROGRAMS:
            found += [line for line in block.lines if line.split()[0] in PROGRAMS and not line.startswith("$ ")]
    return found


def rule_of(line: str) -> Rule | None:
    return next((rule for rule in RULES if rule.fits.match(line)), None)


def run_of_today(path: Path) -> bytes:
    """A run file of format 1, brought up to the format that the pages describe."""
    path.write_bytes(FORMAT_1)
    with RunWriter.reopen(path, ENVIRONMENT) as writer:
        writer.finish("finished")
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What readers have: run files, commands, a file, a message, figures."""
    run = run_of_today(tmp_path / "upgraded.sectax")
    for name in ("RUN", "run.sectax", "r.sectax", "first.sectax", "jwt-php.sectax", "runs/a.sectax"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(run)
    (tmp_path / "FILE").write_text("text\n" * 99)
    (tmp_path / "message.txt").write_text("a message\n")
    (tmp_path / "times.csv").write_text("algorithm,size,host,elapsed\nnone,1KiB,a,1.02\nhmac,1KiB,a,1.31\n")
    for name in ("old", "new"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


EVERY_PAGE = pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in REFERENCE], ids=lambda page: str(page.relative_to(ROOT))
)


@EVERY_PAGE
def test_every_command_of_the_page_can_be_run_or_has_a_reason(page: Path) -> None:
    for line in commands(page):
        rule = rule_of(line)
        assert rule is not None, f"no rule for: {line}"
        assert rule.reason or rule.instead, line


@pytest.mark.more
@needs("sqlite3")
@EVERY_PAGE
def test_the_commands_of_the_page_work(page: Path, folder: Path) -> None:
    for line in commands(page):
        rule = rule_of(line)
        if rule is not None and rule.instead is not None:
            rule.instead(line, folder)


def test_the_pages_have_commands_that_are_really_run() -> None:
    rules = [rule_of(line) for page in PAGES if page.name not in REFERENCE for line in commands(page)]

    assert len(rules) > 60
    assert sum(rule is not None and rule.instead is not None for rule in rules) > 40


def test_no_rule_is_left_over() -> None:
    used = {rule_of(line) for page in PAGES if page.name not in REFERENCE for line in commands(page)}

    assert [rule.fits.pattern for rule in RULES if rule not in used] == []


def test_lines_that_go_on_are_one_command() -> None:
    (block,) = blocks('text\n\n    $ sectax run x \\\n        --level a=b\n    sqlite3 f "\n    SELECT 1"\n')

    assert block.lines == ["sectax run x --level a=b", 'sqlite3 f "\nSELECT 1"']
