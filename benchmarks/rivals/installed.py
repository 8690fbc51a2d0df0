"""The rivals and the subjects, in fixed versions, built into the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks.output import ROOT
from sectax.parts.cache import cache_folder

HYPERFINE = "1.20.0"  # 2.0.0 asks for a newer Rust (1.97)
BENCHSTAT = "v0.0.0-20260908200009-22c9c6c9d4da"
HERE = Path(__file__).parent

_FOLDER = cache_folder() / "rivals"
_GO, _RUST = HERE / "go", HERE / "criterion"


def _mark(folder: Path) -> str:
    """What tells the sources of a subject from their other versions."""
    files = (path for path in folder.rglob("*") if path.suffix in {".go", ".rs", ".mod", ".toml", ".lock"})
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()[:12]


_GO_BUILT, _RUST_BUILT = _FOLDER / f"go-{_mark(_GO)}", _FOLDER / f"rust-{_mark(_RUST)}"

hyperfine = _FOLDER / f"hyperfine-{HYPERFINE}" / "bin" / "hyperfine"
benchstat = _FOLDER / f"benchstat-{BENCHSTAT}" / "benchstat"
go_command, go_benchmark = _GO_BUILT / "chain", _GO_BUILT / "chain.test"
rust_command, rust_benchmark = _RUST_BUILT / "chain", _RUST_BUILT / "chain-bench"


def missing() -> list[str]:
    """The names of the programs that are not built yet."""
    programs = (hyperfine, benchstat, go_command, go_benchmark, rust_command, rust_benchmark)
    return [program.name for program in programs if not program.exists()]


def set_up() -> None:
    """Build what is not there; the machine's other work goes first.

    Raises:
        SystemExit: an installer failed; it has said why.
    """
    if not hyperfine.exists():
        install = ["cargo", "install", "hyperfine", "--version", HYPERFINE, "--locked"]
        _call([*install, "--root", str(hyperfine.parents[1])])
    if not benchstat.exists():
        package = f"golang.org/x/perf/cmd/benchstat@{BENCHSTAT}"
        _call(["go", "install", package], environment={"GOBIN": str(benchstat.parent)})
    if not (go_command.exists() and go_benchmark.exists()):
        _call(["go", "build", "-trimpath", "-o", str(go_command), "./cmd/chain"], _GO)
        _call(["go", "test", "-c", "-trimpath", "-o", str(go_benchmark), "."], _GO)
    if not (rust_command.exists() and rust_benchmark.exists()):
        target = _FOLDER / "cargo-target"
        build = ["cargo", "build", "--profile", "bench", "--locked", "--target-dir", str(target)]
        _call([*build, "--bin", "chain"], _RUST)
        _call([*build, "--bench", "chain"], _RUST)
        rust_command.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(target / "release" / "chain", rust_command)
        shutil.copy2(_newest_benchmark(target / "release" / "deps"), rust_benchmark)


def _newest_benchmark(folder: Path) -> Path:
    """Cargo names it chain-HASH, as it does the library's tests; only the benchmark knows --save-baseline."""
    programs = [path for path in folder.glob("chain-*") if not path.suffix and os.access(path, os.X_OK)]
    return max(filter(_knows_baselines, programs), key=lambda path: path.stat().st_mtime)


def _knows_baselines(program: Path) -> bool:
    said = subprocess.run([program, "--help"], capture_output=True, check=False)
    return b"--save-baseline" in said.stdout


def _call(command: list[str], folder: Path = ROOT, environment: Mapping[str, str] | None = None) -> None:
    print(f"  {' '.join(command)}", flush=True)
    try:
        done = subprocess.run(command, cwd=folder, env=os.environ | dict(environment or {}), check=False)
    except OSError as error:
        raise SystemExit(f"{command[0]} is not here: {error}\nhint: Rust 1.88 and Go 1.24 or newer") from error
    if done.returncode:
        raise SystemExit(f"{command[0]} ended with {done.returncode}")
