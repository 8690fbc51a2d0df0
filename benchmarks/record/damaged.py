"""Whether run files of strangers make a reader fail: it must read them, or say in one sentence why it cannot.

    python -m benchmarks.record.damaged [--files 10000] [--seed 0] [--keep FOLDER]

Every file is a run with one to three damages: bytes, pages or ends as after a crash, or values of its tables replaced
by odd ones, mostly with checksums switched off as a stranger would do. All readers see it in a process that may take
200 MB more than it has, and the size of the file. A fault is a traceback, a status that is not documented for bad
input, a call of over 5 s of processor time, or a lack of memory.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from benchmarks.output import heading, target
from sectax.cli.main import main as sectax_main
from sectax.model.errors import NothingMeasured
from sectax.run.session import Session
from tests.program import sectax
from tests.record import runs
from tests.record.test_bad_files import bruise
from tests.warm import ahead

_CALLS = "show R --all|report R --format html|history D|compare R O|advise R|audit R|gate --limit slower>5% R|resume R"
READERS = tuple(tuple(call.split()) for call in _CALLS.split("|"))
MOST_S, MOST_BYTES, _HANGS_S = 5.0, 200 * 2**20, 120
_ODD: tuple[Any, ...] = (
    *(None, 0, -1, 1, 2**63 - 1, -(2**63), 1e308, -1e-320, float("inf"), float("nan"), True, 0.5, 1e15),
    *("", "x" * 100_000, "\x1b[31m\u202e\n", "../../x", "[" * 3000, "{}", "null", "9" * 5000, "é" * 300, "nan"),
    *(b"", b"\xff\xfe", bytes(10_000), [], {}, [[]] * 1000, {"a": {}}),
)


def odd_json(value: Any, rng: random.Random) -> Any:
    """The document with one part replaced, removed or repeated."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.1:
        return rng.choice([odd for odd in _ODD if not isinstance(odd, bytes)])
    value = value.copy()
    key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    chance = rng.random()
    if chance < 0.1:
        del value[key]
    elif chance < 0.2 and isinstance(value, list):
        value *= 1000
    else:
        value[key] = odd_json(value[key], rng)
    return value


def change_value(db: sqlite3.Connection, rng: random.Random) -> None:
    """Replace a value of one row, or of all rows, of a table."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    table = rng.choice([*tables, *["run"] * (len(tables) // 2)])  # which has the plan
    rows = db.execute(f"SELECT * FROM {table}").fetchmany(2000)  # noqa: S608
    columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
    if not rows:
        return
    row, at, new = rng.choice(rows), rng.randrange(len(columns)), rng.choice(_ODD)
    if isinstance(row[at], str) and row[at][:1] in ("{", "["):
        with contextlib.suppress(ValueError, RecursionError):  # damaged before
            new = odd_json(json.loads(row[at]), rng)
    new = json.dumps(new) if isinstance(new, dict | list) else new
    here = " AND ".join(f"{column} IS ?" for column in columns) if rng.random() < 0.9 else ""
    sql = f"UPDATE {table} SET {columns[at]} = ? WHERE {here or '1'}"  # noqa: S608
    with contextlib.suppress(sqlite3.IntegrityError):
        db.execute(sql, (new, *(row if here else ())))


def damage(path: Path, whole: bytes, rng: random.Random) -> None:
    """Write a damaged copy of a run file."""
    path.write_bytes(whole)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        if rng.random() < 0.9:
            db.execute("PRAGMA user_version = 1")  # a format without checksums
        for _ in range(rng.randint(1, 3)):
            change_value(db, rng)
    if rng.random() < 0.3:
        path.write_bytes(bruise(path.read_bytes(), rng))


def samples(folder: Path) -> Iterator[bytes]:
    """A run of commands, and a finished and an unfinished one of algorithms."""
    commands = ("command", "--baseline", "sleep 0.01", "--treatment", "b=sleep 0.011", "--blocks", "8")
    sectax("run", *commands, "--out", "commands.sectax", folder=folder, simulated=1)
    yield (folder / "commands.sectax").read_bytes()
    for state in ("finished", "running"):
        with runs.create(folder / f"{state}.sectax") as writer:
            writer.calibrate(runs.calibrated(runs.plan()))
            for _ in range(8):
                runs.record_block(writer)
            if state == "finished":
                writer.finish(state)
        yield (folder / f"{state}.sectax").read_bytes()


def faults_of(path: Path, other: Path, readers: Iterable[Sequence[str]] = READERS) -> list[str]:
    """What readers do wrong, called one after the other in a process of their own."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            _read({"R": str(path), "D": str(path.parent), "O": str(other)}, readers, said.fileno())
        _, status = os.waitpid(child, 0)
        said.seek(0)
        lines = said.read().decode(errors="replace").splitlines()
    faults = [json.loads(line[5:]) for line in lines if line.startswith("FAULT")]
    return [*faults, f"status {status}: {lines[-5:]}"] if status else faults


def _read(places: dict[str, str], readers: Iterable[Sequence[str]], out: int) -> NoReturn:
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    os.dup2(out, 2)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115 - for good
    os.environ |= {"XDG_CACHE_HOME": places["D"], "XDG_STATE_HOME": places["D"]}
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES + os.path.getsize(places["R"])
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (_HANGS_S, _HANGS_S))
    Session.run = _measure_nothing  # type: ignore[method-assign]
    for words in readers:
        sys.argv = ["sectax", *(places.get(word, word) for word in words)]
        began, start, status = time.process_time(), os.lseek(out, 0, os.SEEK_CUR), None
        try:
            sectax_main()
        except SystemExit as ended:
            status = ended.code
        took, text = time.process_time() - began, os.pread(out, 10_000, start).decode(errors="replace")
        if status not in range(5) or took > MOST_S or "Traceback" in text or "not enough memory" in text:
            fault = json.dumps(f"{words[0]}: status {status}, {took:.1f} s: {text[-300:]}")
            os.write(out, f"\nFAULT{fault}\n".encode())
    os._exit(0)


def _measure_nothing(*_: object) -> NoReturn:
    raise NothingMeasured("nothing is measured here")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first file; each has its own")
    parser.add_argument("--keep", type=Path, help="leave the files with faults here")
    asked = parser.parse_args()
    heading(f"What readers make of {asked.files} damaged run files")
    count = 0
    with tempfile.TemporaryDirectory() as name:
        wholes = list(samples(Path(name)))
        ahead()
        path = Path(name, "damaged", "run.sectax")
        path.parent.mkdir()
        for seed in range(asked.seed, asked.seed + asked.files):
            damage(path, wholes[seed % len(wholes)], random.Random(seed))
            for fault in faults_of(path, Path(name, "finished.sectax")):
                count += 1
                print(f"file {seed}: {fault}", flush=True)
                if asked.keep is not None:
                    (asked.keep / f"{seed}.sectax").write_bytes(path.read_bytes())
    target("faults", float(count), 0, f"{count}, none is allowed")


if __name__ == "__main__":
    main()
