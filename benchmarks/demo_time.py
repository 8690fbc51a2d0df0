"""How long a stranger waits: `make demo` from a fresh clone with empty caches, and again once it is set up.

    python -m benchmarks.demo_time [--copy] [--keep FOLDER]

The clone is made in a temporary folder; SECTAX_CACHE and the caches of uv and pip point into it, so all is fetched anew
(system packages that apt has installed already stay). Without a commit, or with --copy, the working tree is copied
instead: the files that git knows or would add.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.output import ROOT, environment, heading, table, target

FRESH_AT_MOST_S = 240
AGAIN_AT_MOST_S = 40
RUN_BEGINS = "==> sectax run"  # as scripts/demo says it
TABLE_BEGINS = "finished: "  # the head of the verdict table


@dataclass
class Wait:
    """Seconds since the clone was begun; None for what did not come."""

    set_up: float | None = None
    table: float | None = None
    end: float = 0.0
    blocks: str = "–"


def git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def fetch(clone: Path, copy: bool) -> None:
    """Put what a stranger would get into *clone*."""
    if not copy:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        return
    for name in git("ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)


def surroundings(caches: Path) -> dict[str, str]:
    """The environment, without this checkout's own tools on PATH and with empty caches."""
    path = [folder for folder in os.environ["PATH"].split(":") if not Path(folder).is_relative_to(ROOT)]
    kept = {
        name: value for name, value in environment().items() if name not in {"VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL"}
    }
    return kept | {
        "PATH": ":".join(path),
        "SECTAX_CACHE": str(caches / "sectax"),
        "UV_CACHE_DIR": str(caches / "uv"),
        "PIP_CACHE_DIR": str(caches / "pip"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def make_demo(clone: Path, env: dict[str, str], began: float) -> Wait:
    """Run it, and note when the lines came that someone waits for."""
    wait = Wait()
    with subprocess.Popen(
        ["make", "demo"], cwd=clone, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as demo:
        assert demo.stdout is not None
        said = []
        for line in demo.stdout:
            said.append(line)
            if line.startswith(RUN_BEGINS) and wait.set_up is None:
                wait.set_up = time.monotonic() - began
            if line.startswith(TABLE_BEGINS) and wait.table is None:
                wait.table = time.monotonic() - began
                wait.blocks = line.removeprefix(TABLE_BEGINS).partition(" in ")[0]
    wait.end = time.monotonic() - began
    if demo.returncode != 0:
        print(f"  make demo ended with status {demo.returncode}:\n{''.join(said[-15:])}")
    return wait


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.demo_time", description=__doc__.splitlines()[0])
    parser.add_argument("--copy", action="store_true", help="the working tree in place of the last commit")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="clone and caches go here, and stay")
    given = parser.parse_args()
    heading("make demo")
    commit = git("rev-parse", "--short", "HEAD")
    copy = given.copy or not commit
    dirty = ", with changes that are not in the clone" if git("status", "--porcelain") else ""
    print("  of the working tree" if copy else f"  of commit {commit}{dirty}")

    with contextlib.ExitStack() as stack:
        place = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sectax-demo-")))
        place.mkdir(parents=True, exist_ok=True)
        env = surroundings(place / "caches")
        began = time.monotonic()
        fetch(place / "clone", copy)
        fresh = make_demo(place / "clone", env, began)
        again = make_demo(place / "clone", env, time.monotonic())

    def seconds(value: float | None) -> str:
        return "never" if value is None else f"{value:.1f}"

    table(
        ["", "set up, s", "verdict table, s", "report written, s", "blocks"],
        [
            [name, seconds(wait.set_up), seconds(wait.table), f"{wait.end:.1f}", wait.blocks]
            for name, wait in (("from a fresh clone", fresh), ("again", again))
        ],
    )
    print()
    for name, wait, bound in (("fresh clone", fresh, FRESH_AT_MOST_S), ("set up already", again, AGAIN_AT_MOST_S)):
        value = float("inf") if wait.table is None else wait.table
        target(name, value, bound, f"verdict table after {seconds(wait.table)} s, at most {bound} s")


if __name__ == "__main__":
    main()
