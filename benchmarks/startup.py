"""What it takes to start `sectax`: --help, list, show and doctor beside the bare interpreter.

    python -m benchmarks.startup [--runs 20]

The programs take turns, so that all of them meet the same machine; a ratio is the median of the ratios of single
turns. What `list` and `show` say is kept in the cache until something of it can have changed: by `sectax setup` and by
`sectax run`, so the first call finds it. 'Nothing kept' is what they take where it is not there, as after an update or
with a run file that comes from elsewhere. `doctor` starts the probes' runtimes, to ask them for their versions.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.output import environment, heading, table, target

BARE = "python -c pass"
# Times the bare interpreter.
AT_MOST = {"sectax --help": 6.0, "sectax list": 10.0, "sectax show": 12.0}
NOTHING_KEPT = ", nothing kept"
KEPT_OUT = ("numpy", "scipy", "boto3")


def commands(run_file: Path) -> dict[str, list[str]]:
    """The bare interpreter and the program, both from the environment that this benchmark runs in."""
    program = str(Path(sys.executable).with_name("sectax"))
    words = {"sectax --help": ["--help"], "sectax list": ["list"], "sectax show": ["show", str(run_file)]}
    words |= {f"{name}{NOTHING_KEPT}": words[name] for name in ("sectax list", "sectax show")}
    words["sectax doctor"] = ["doctor"]
    return {BARE: [sys.executable, "-c", "pass"]} | {name: [program, *rest] for name, rest in words.items()}


def measured(folder: Path) -> Path:
    """A run file to show: two commands, six blocks."""
    run_file = folder / "r.sectax"
    program = str(Path(sys.executable).with_name("sectax"))
    words = ["run", "command", "--baseline", "true", "--treatment", "b=true", "--blocks", "6", "--out", str(run_file)]
    subprocess.run([program, *words], env=environment(), capture_output=True, stdin=subprocess.DEVNULL, check=True)
    return run_file


def times(ways: dict[str, list[str]], runs: int, folder: Path) -> dict[str, list[float]]:
    """Seconds from start to end of each program, one for each turn; two turns before them compile what is imported.

    Args:
        folder: for caches in which nothing is kept yet.
    """
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(-2, runs):
        for name in random.sample(list(ways), len(ways)):
            env = environment()
            if name.endswith(NOTHING_KEPT):
                env["SECTAX_CACHE"] = tempfile.mkdtemp(dir=folder)
            began = time.perf_counter()
            subprocess.run(ways[name], env=env, capture_output=True, stdin=subprocess.DEVNULL, check=True)
            if turn >= 0:
                taken[name].append(time.perf_counter() - began)
    return taken


def imported(command: list[str]) -> set[str]:
    """The packages (first part of the name) that a command of the program imports."""
    traced = [sys.executable, "-X", "importtime", *command]
    done = subprocess.run(traced, env=environment(), capture_output=True, text=True, check=True)
    names = (line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {name.partition(".")[0] for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="turns (20)")
    runs = parser.parse_args().runs
    heading("Start-up")
    with tempfile.TemporaryDirectory() as folder:
        ways = commands(measured(Path(folder)))
        taken = times(ways, runs, Path(folder))
        packages = {name: imported(ways[name]) for name in ways if name != BARE and NOTHING_KEPT not in name}
    ratios = {
        name: statistics.median(own / bare for own, bare in zip(taken[name], taken[BARE], strict=True)) for name in ways
    }
    rows = [
        [name, f"{1e3 * statistics.median(taken[name]):.1f}", f"{1e3 * min(taken[name]):.1f}", f"{ratios[name]:.2f}"]
        for name in ways
    ]
    table(["", "median, ms", "least, ms", "times the bare"], rows, f"{runs} turns")
    print()
    for name, most in AT_MOST.items():
        target(name, ratios[name], most, f"{ratios[name]:.2f} times the bare interpreter, at most {most:g}")
    for name, loaded in packages.items():
        unwanted = loaded & set(KEPT_OUT)
        said = f"imports {', '.join(sorted(unwanted))}" if unwanted else f"imports none of {', '.join(KEPT_OUT)}"
        target(name, len(unwanted), 0, said)


if __name__ == "__main__":
    main()
