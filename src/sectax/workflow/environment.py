"""The environment of a session: its hosts and software, what of them may not change, and what else keeps it busy."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from sectax import __version__
from sectax.experiments.interface import Bench
from sectax.hosts.process.errors import ChildError
from sectax.hosts.process.host import host_circumstances, host_identity
from sectax.hosts.registry import host
from sectax.model.environment import CHANGED, COMMAND_LINE, JOB, LOCAL_HOST, REVISION, Environment
from sectax.model.errors import NothingMeasured, WrongUse

# A load above this share of the processors competes with what is measured.
_BUSY = 0.5
# Less than this cannot be told from chance.
SLOWED = 1.15
# What decides about the figures on our own side.
_OWN_LIBRARIES = ("numpy", "scipy", "msgspec", "cryptography", "pycryptodome")


def take_environment(bench: Bench, command_line: str = "", commit: str | None = None) -> Environment:
    """Read this machine, the other hosts of the plan and the software of this run's subjects.

    Args:
        commit: what is measured, where that is a checkout; None for what the current folder has.
    """
    own, machine = of_this_process(command_line, commit), host()
    by_host = of_hosts(bench.plan.hosts)
    circumstances = bench.circumstances()
    return Environment(
        machine.identity() | own.identity | bench.identity(),
        machine.circumstances() | own.circumstances | circumstances.get(LOCAL_HOST, {}),
        {
            name: replace(environment, circumstances=environment.circumstances | circumstances.get(name, {}))
            for name, environment in by_host.items()
        },
    )


def of_this_process(command_line: str = "", commit: str | None = None) -> Environment:
    """The software of sectax itself, and how it was called. Arguments as of `take_environment`."""
    own = {"sectax": __version__} | {f"sectax.{name}": version(name) for name in _OWN_LIBRARIES}
    called = {COMMAND_LINE: command_line} if command_line else {}
    return Environment(own, called | revision(checkout=commit))


def of_hosts(names: Iterable[str]) -> dict[str, Environment]:
    """Read other hosts than this machine, by their names.

    Raises:
        NothingMeasured: one of them cannot be reached.
    """
    try:
        return {name: Environment(host(name).identity(), host(name).circumstances()) for name in names}
    except ChildError as error:
        raise NothingMeasured(
            f"a host of this run cannot be reached: {error}", "make it reachable, then try again"
        ) from error


def refuse_change(
    before: Environment, now: Environment, what: str = "the environment has changed since the run began:"
) -> None:
    """Raise `WrongUse`, which begins with *what*, where blocks of both sessions would not belong to one run."""
    then_was, now_is = before.whole_identity(), now.whole_identity()
    changed = [
        f"{name}: {then_was.get(name, 'not there')} then, {now_is.get(name, 'not there')} now"
        for name in sorted(then_was.keys() | now_is.keys())
        if then_was.get(name) != now_is.get(name)
    ]
    if changed:
        raise WrongUse(
            f"{what} {'; '.join(changed)}",
            "what was measured stays readable (sectax show); start a new run for the new environment",
        )


@dataclass(frozen=True)
class MachineLoad:
    """The load average of the last minute, and the processors that sectax may use."""

    load: float
    cpus: int

    @property
    def busy(self) -> bool:
        return self.load > _BUSY * self.cpus

    def __str__(self) -> str:
        return f"{self.load:.2f} on {self.cpus} processors"


def slowdown(at_most_s: float = 0.2) -> float:
    """How many times longer work takes now than the processor time that it gets: 1 where nothing else runs.

    Works for so long by the clock.
    """
    began, worked = time.monotonic(), time.thread_time()
    while (passed := time.monotonic() - began) < at_most_s:
        pass
    return max(1.0, passed / max(time.thread_time() - worked, 1e-3))


def machine_load() -> MachineLoad:
    return MachineLoad(float(host_circumstances()["host.load"].split()[0]), int(host_identity()["host.cpus"]))


# What tells a job from others; nothing here is secret. GitHub's, then GitLab's.
_JOB = (
    *("GITHUB_REPOSITORY", "GITHUB_REF_NAME", "GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB"),
    *("CI_PROJECT_PATH", "CI_COMMIT_REF_NAME", "CI_COMMIT_SHA", "CI_PIPELINE_ID", "CI_JOB_ID"),
)
# A folder may hold somebody else's repository, whose settings name programs that git would start.
_STARTS_NOTHING = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_TIMEOUT_S = 5.0


def revision(environment: Mapping[str, str] = os.environ, checkout: str | None = None) -> dict[str, str]:
    """The commit, whether files differ from it, and the job; empty where there is neither.

    Args:
        checkout: the commit, where what is measured is a checkout of it; None for that of the current folder.
    """
    job = {f"{JOB}{name}": environment[name] for name in _JOB if environment.get(name)}
    if checkout is not None:
        return {REVISION: checkout, CHANGED: "no", **job}
    commit = ask_git("rev-parse", "HEAD")
    if not commit:
        return job
    changes = ask_git("status", "--porcelain", "--untracked-files=no")
    changed = {} if changes is None else {CHANGED: "yes" if changes else "no"}
    return {REVISION: commit, **changed, **job}


def commit_of(revision: str) -> str | None:
    """The commit of a branch, a tag or whatever else names one in the current folder's repository."""
    # Behind the option nothing is an option any more, whatever it begins with.
    return ask_git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def ask_git(*words: str, cwd: Path | None = None, timeout_s: float = _TIMEOUT_S) -> str | None:
    """What git prints; None where it cannot say, or fails."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        done = subprocess.run(
            [git, *_STARTS_NOTHING, *words],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            cwd=cwd,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
