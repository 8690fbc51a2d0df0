"""Names every skipped test and its reason at the end; SECTAX_NO_SKIPS=1 allows only what the machine cannot run.

What the machine can run is found out here, apart from the code under test: otherwise a look for control groups that
is broken would skip its own tests.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.chromium import chromium
from sectax.parts.cache import cache_folder


def succeeds(*words: str) -> bool:
    try:
        return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=60).returncode == 0
    except OSError:
        return False


def is_root() -> bool:
    return os.geteuid() == 0


@functools.cache
def can_mount() -> bool:
    return succeeds("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt")


@functools.cache
def can_make_namespaces() -> bool:
    return succeeds("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "true")


@functools.cache
def can_limit_memory() -> bool:
    root = Path("/sys/fs/cgroup")
    version_1 = (root / "memory").is_dir()
    group = root / ("memory" if version_1 else "") / f"sectax-skips-{os.getpid()}"
    try:
        group.mkdir()
        (group / ("memory.limit_in_bytes" if version_1 else "memory.max")).write_text(str(2**30))
    except OSError:
        return False
    finally:
        if group.is_dir():
            group.rmdir()
    return True


def has_program(*names: str) -> Callable[[], bool]:
    return lambda: any(map(shutil.which, names))


def is_set_up(client: str) -> Callable[[], bool]:
    """Whether `sectax setup` has put a client of this language into the cache."""
    return lambda: any((cache_folder() / "lambda").glob(f"{client}-*/complete"))


def is_built(program: str) -> Callable[[], bool]:
    """Whether `sectax setup` has put a program that Go builds into the cache."""
    return lambda: any((cache_folder() / "programs").glob(f"{program}-*/*"))


def other_users_have_python() -> bool:
    return succeeds("/usr/bin/python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))")


# What the reason of a skip speaks of -> whether this machine has it after all.
NEEDED: tuple[tuple[str, Callable[[], bool]], ...] = (
    (r"\broot\b|somebody else", is_root),
    (r"\bmount\b", can_mount),
    (r"namespaces", can_make_namespaces),
    (r"control group|memory cannot be limited", can_limit_memory),
    (r"\bGo\b|aws-lambda-go", has_program("go")),
    (r"C compiler", has_program("cc", "gcc", "clang")),
    (r"headers of OpenSSL", Path("/usr/include/openssl/evp.h").exists),
    (r"nodejs\S+ is not set up", is_set_up("node")),
    (r"java\d+ is not set up", is_set_up("java")),
    (r"^Node is not installed", has_program("node")),
    (r"^Java is not installed", has_program("java")),
    (r"^javac", has_program("javac")),
    (r"^Rust is|Rust function", has_program("cargo")),
    (r"^bash is", has_program("bash")),
    (r"^bash-completion is", Path("/usr/share/bash-completion/bash_completion").exists),
    (r"^zsh is", has_program("zsh")),
    (r"^fish is", has_program("fish")),
    (r"^groff is", has_program("groff")),
    (r"Secrets Manager Agent|moto is not installed", lambda: any((cache_folder() / "secrets").glob("agent-*/sha256"))),
    (r"AWS CLI", lambda: succeeds("aws", "--version")),
    (r"^sysbench is", has_program("sysbench")),
    (r"^sshd is", lambda: Path("/usr/sbin/sshd").exists()),
    (r"^PostgreSQL is", lambda: any(Path("/usr/lib/postgresql").glob("*/bin"))),
    (r"^runc is", has_program("runc")),
    (r"^runsc is", has_program("runsc")),
    (r"sqlite3", has_program("sqlite3")),
    (r"pandas", lambda: importlib.util.find_spec("pandas") is not None),
    (r"^mkdocs", lambda: importlib.util.find_spec("mkdocs") is not None),
    (r"^Chromium", lambda: chromium() is not None),
    (r"PHP", has_program("php")),
    (r"MinIO is not set up", is_built("minio")),
    (r"no Go client", is_built("s3-client")),
    (r"other users may run", other_users_have_python),
)

# Skips that say nothing of what the machine lacks.
NOTHING_TO_TEST = ("the interpreter needs no mount here", "the freezer of cgroup v2 needs no such group")


def is_excused(reason: str) -> bool:
    """Whether the machine lacks what the reason of a skip says that it lacks; an unknown reason is not excused."""
    if reason in NOTHING_TO_TEST:
        return True
    here = [is_here() for pattern, is_here in NEEDED if re.search(pattern, reason)]
    return bool(here) and not all(here)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [(report.nodeid, _reason(report)) for report in terminalreporter.stats.get("skipped", [])]
    if not skipped:
        return
    terminalreporter.section("skipped, and why")
    for name, reason in sorted(skipped):
        terminalreporter.write_line(f"{name}: {reason}")
    unexcused = [name for name, reason in skipped if _no_skips() and not is_excused(reason)]
    if unexcused:
        terminalreporter.section("skipped though this machine can run it", red=True)
        for name in sorted(unexcused):
            terminalreporter.write_line(name)
        terminalreporter.write_line("with SECTAX_NO_SKIPS=1 these fail the run (tests/skips.py knows what is excused)")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Decides the exit status, which is settled before anything is printed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not _no_skips() or session.exitstatus != pytest.ExitCode.OK:
        return
    if not all(is_excused(_reason(report)) for report in reporter.stats.get("skipped", [])):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _no_skips() -> bool:
    return os.environ.get("SECTAX_NO_SKIPS") == "1"


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    place_and_reason = report.longrepr
    assert isinstance(place_and_reason, tuple)
    return place_and_reason[2].removeprefix("Skipped: ")
