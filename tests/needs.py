"""What a test needs of the machine beyond Python: `needs("cc")`, in the one place that looks whether it is there.

`make test` has the tests that need nothing; one that needs something is of the middle form. What is missing there is a
skip, with the command that installs it; a test that skips itself fails where SECTAX_NO_SKIPS=1. Whether something is
there is found out apart from the code under test: otherwise a look for control groups that is broken would skip its
own tests.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.chromium import chromium
from sectax.parts import probes
from sectax.parts.cache import cache_folder

needs = pytest.mark.needs
_LACKING = "needs a part that is missing"


@dataclass(frozen=True)
class Part:
    """Whether the machine has something, and how it comes by it."""

    is_here: Callable[[], bool]
    hint: str
    packages: tuple[str, ...] = ()  # of Debian, that `make test-more` installs where it may


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
    group = root / ("memory" if version_1 else "") / f"sectax-needs-{os.getpid()}"
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


def in_cache(pattern: str) -> Callable[[], bool]:
    """Whether `sectax setup` has put it into the cache."""
    return lambda: any(cache_folder().glob(pattern))


def in_lambda_cache(runtime: str) -> Callable[[], bool]:
    """Whether AWS's client for this language is installed, which the local Lambda keeps beside."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "lambda-local"
    own = os.environ.get("SECTAX_CACHE")
    return lambda: any((Path(own, "lambda") if own else base).glob(f"{runtime}-*/complete"))


def probe(language: str) -> Part:
    """The probe of a language, as its files are now."""

    def is_here() -> bool:
        folder = probes.load(language).environment_folder()
        return folder is not None and (folder / "complete").exists()

    return Part(is_here, setup(f"jwt --level language={language}"))


def debian(is_here: Callable[[], bool], packages: str) -> Part:
    """A part that comes with packages of Debian."""
    return Part(is_here, apt(packages), tuple(packages.split()))


def apt(packages: str) -> str:
    return f"as root: apt-get install {packages}"


def setup(experiment: str) -> str:
    return f"sectax setup {experiment}"


PARTS = {
    "php": Part(has_program("php"), apt("php-cli")),
    "root": Part(is_root, "run the tests as root"),
    "mounts": Part(lambda: is_root() and can_mount(), "run the tests as root, where mounts are allowed"),
    "namespaces": Part(can_make_namespaces, "run the tests where user namespaces are allowed"),
    "control groups": Part(can_limit_memory, "run the tests as root, where control groups can be made"),
    "freezer of cgroup v2": Part(
        lambda: is_root() and any(Path("/sys/fs/cgroup").glob("**/cgroup.controllers")), "mount cgroup v2"
    ),
    "freezer of cgroup v1": Part(Path("/sys/fs/cgroup/freezer").is_dir, "mount the freezer of cgroup v1"),
    "keyrings": Part(lambda: is_root() and Path("/proc/keys").exists(), "run the tests as root, with kernel keyrings"),
    "loop devices": Part(
        lambda: is_root() and Path("/dev/loop-control").exists() and shutil.which("mkfs.ext4") is not None,
        apt("e2fsprogs"),
    ),
    "two processors": Part(lambda: len(os.sched_getaffinity(0)) >= 2, "run the tests on two processors or more"),
    "a Python for all users": Part(
        lambda: succeeds("/usr/bin/python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"), apt("python3")
    ),
    "the runtime of a function": Part(in_lambda_cache("python"), setup("function")),
    "the functions": Part(in_cache("functions/hmac_authorizer-python-*.zip.sha256"), setup("hmac")),
    "the functions in Go": Part(in_cache("functions/hmac_authorizer-go-*.zip.sha256"), setup("hmac")),
    "Go": debian(has_program("go"), "golang-go"),
    "ip": debian(has_program("ip"), "iproute2"),
    "cc": debian(has_program("cc", "gcc", "clang"), "gcc libc6-dev"),
    "headers of OpenSSL": debian(Path("/usr/include/openssl/evp.h").exists, "libssl-dev"),
    "Node": Part(Path("/usr/bin/node").exists, apt("nodejs")),
    "the runtime of Node": Part(in_lambda_cache("node"), "see docs/lambda.md"),
    "ruby": debian(has_program("ruby"), "ruby"),
    "curl": debian(has_program("curl"), "curl"),
    "sqlite3": debian(has_program("sqlite3"), "sqlite3"),
    "nginx": debian(Path("/usr/sbin/nginx").exists, "nginx-light"),
    "ssh": debian(has_program("ssh-keygen"), "openssh-client"),
    "sshd": debian(lambda: is_root() and Path("/usr/sbin/sshd").exists(), "openssh-server"),
    "sysbench": Part(has_program("sysbench"), setup("confidential")),
    "runc": Part(lambda: is_root() and shutil.which("runc") is not None, setup("confidential")),
    "runsc": Part(
        lambda: is_root() and (shutil.which("runsc") is not None or in_cache("gvisor/*/runsc.sha256")()),
        setup("confidential"),
    ),
    "PostgreSQL": debian(lambda: any(Path("/usr/lib/postgresql").glob("*/bin/initdb")), "postgresql"),
    "libpq": debian(Path("/usr/include/postgresql/libpq-fe.h").exists, "libpq-dev"),
    "SeaweedFS": Part(in_cache("s3/seaweedfs-*/complete"), setup("s3")),
    "MinIO": Part(in_cache("programs/minio-*/*.sha256"), setup("s3 --level server=minio")),
    "the S3 client in Go": Part(in_cache("programs/s3-client-*/*.sha256"), setup("s3")),
    "the HTTP client in Go": Part(in_cache("programs/http-client-*/*.sha256"), setup("http")),
    "the TLS ends of go": Part(in_cache("programs/tls-ends-*/*.sha256"), setup("tls --level library=go")),
    "the TLS ends of rustls": Part(in_cache("probes/tls-rustls-*/complete"), setup("tls --level library=rustls")),
    "the TLS ends of openssl": Part(in_cache("probes/tls-openssl-*/complete"), setup("tls --level library=openssl")),
    "the service with Coraza": Part(in_cache("programs/waf-server-*/*.sha256"), setup("waf")),
    "the Go probe": probe("go"),
    "the Java probe": probe("java"),
    "the Node probe": probe("node"),
    "the Python probe": probe("python"),
    "the Rust probe": probe("rust"),
    "moto": Part(in_cache("secrets/backend-*/complete"), setup("secrets")),
    "the agent of Secrets Manager": Part(in_cache("secrets/agent-*/sha256"), setup("secrets")),
    "the AWS CLI": Part(lambda: succeeds("aws", "--version"), "pip install awscli"),
    "mkdocs": Part(lambda: importlib.util.find_spec("mkdocs") is not None, "make docs"),
    "Chromium": debian(lambda: chromium() is not None, "chromium"),
}
# What a function runs in.
SANDBOX = ("control groups", "the runtime of a function")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(part, …): what of the machine it needs; tests/needs.py has the parts")


@pytest.hookimpl(tryfirst=True)  # before -m is asked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        wanted = {name for mark in item.iter_markers("needs") for name in mark.args}
        if unknown := wanted - PARTS.keys():
            raise pytest.UsageError(f"{item.nodeid} needs {', '.join(sorted(unknown))}, which tests/needs.py has not")
        if item.get_closest_marker("skipif") is not None:
            raise pytest.UsageError(f"{item.nodeid} has skipif: say needs(part) instead (tests/needs.py)")
        missing = sorted(name for name in wanted if not _is_here(name))
        if wanted:
            item.add_marker(pytest.mark.more)
        if missing:
            item.user_properties.append((_LACKING, missing[0]))
            item.add_marker(pytest.mark.skip(reason=f"{missing[0]} is missing ({PARTS[missing[0]].hint})"))


@functools.cache
def _is_here(name: str) -> bool:
    return PARTS[name].is_here()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    own = sorted({f"{report.nodeid}: {_reason(report)}" for report in skipped if _lacking(report) is None})
    if own:
        terminalreporter.section("tests that skipped themselves", red=_no_skips())
        for line in own:
            terminalreporter.write_line(line)
    counts = Counter(filter(None, map(_lacking, skipped)))
    for name, count in sorted(counts.items()):
        terminalreporter.write_line(f"skipped: {count} that need {name}: {PARTS[name].hint}")
    if "not more" in config.option.markexpr:
        terminalreporter.write_line(
            "make test-more runs the rest: long tests, and those that need root, compilers, ssh, containers or servers"
        )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Decides the exit status, which is settled before anything is printed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not _no_skips() or session.exitstatus != pytest.ExitCode.OK:
        return
    if any(_lacking(report) is None for report in reporter.stats.get("skipped", [])):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _no_skips() -> bool:
    return os.environ.get("SECTAX_NO_SKIPS") == "1"


def _lacking(report: pytest.TestReport | pytest.CollectReport) -> str | None:
    """The part for want of which a test was skipped; None where it skipped itself."""
    return dict(getattr(report, "user_properties", ())).get(_LACKING)  # type: ignore[call-overload]


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    place_and_reason = report.longrepr
    assert isinstance(place_and_reason, tuple)
    return place_and_reason[2].removeprefix("Skipped: ")


def _install() -> None:
    """Install what is missing of Debian's packages, where this is root and Debian."""
    wanted = sorted({name for part in PARTS.values() if not part.is_here() for name in part.packages})
    if not wanted or not is_root() or shutil.which("apt-get") is None:
        return
    print(f"==> apt-get install {' '.join(wanted)}", flush=True)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wanted]
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    if subprocess.run(command, stdout=subprocess.DEVNULL, env=environment).returncode:
        subprocess.run(["apt-get", "update", "-qq"], env=environment)
        subprocess.run(command, stdout=subprocess.DEVNULL, env=environment)


if __name__ == "__main__":
    _install()
