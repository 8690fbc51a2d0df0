"""The kinds of load, each as what one worker does until a time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.load.schedule import epochs

# Each writer holds this much of the disk, and writes it again and again.
WRITTEN_BYTES = 16 << 20
_CHUNK = 1 << 20
# A loop looks at the clock this often; a burst of 5 ms ends within a tenth of its length.
_LOOK_S = 0.0005
_LONGEST_COMPILER_S = 20.0
# Of a load of 13, as many are always there; the others come and go.
_MIXED_STEADY = 5


class Share(NamedTuple):
    """One worker's part of a load.

    Attributes:
        number, workers: which worker of how many of its kind.
        until: on `time.monotonic`.
        began: the same instant for all workers.
        seed: the same for all workers.
        processors: those that may be used.
    """

    number: int
    workers: int
    began: float
    until: float
    seed: int
    processors: tuple[int, ...]


Work = Callable[[Share], None]


def busy(share: Share) -> None:
    """A plain loop."""
    _spin(share.until)


def bursts(share: Share) -> None:
    """Loops that come and go as the common schedule says."""
    begins = share.began
    for epoch in epochs(share.seed, share.workers, share.processors):
        ends = min(begins + epoch.seconds, share.until)
        place = epoch.places.get(share.number)
        if time.monotonic() < ends:
            if place is None:
                time.sleep(max(0.0, ends - time.monotonic()))
            else:
                os.sched_setaffinity(0, {place})
                _spin(ends)
        begins += epoch.seconds
        if begins >= share.until:
            return


def compilers(share: Share) -> None:
    """Real compilers that start and end: of C where there is one, otherwise of Python. Nothing is written."""
    while time.monotonic() < share.until:
        _compile(share.seed + share.number)


def writers(share: Share) -> None:
    """Writes a bounded file that has no name, and has each megabyte brought to the disk."""
    block = os.urandom(_CHUNK)
    with tempfile.TemporaryFile(prefix="sectax-load-") as file:
        while time.monotonic() < share.until:
            if file.tell() >= WRITTEN_BYTES:
                file.seek(0)
            file.write(block)
            file.flush()
            os.fsync(file.fileno())


def mixed(share: Share) -> None:
    """Up to five workers that are always there (loops, compilers, a writer); all others come and go in bursts."""
    steady = min(_MIXED_STEADY, share.workers)
    if share.number >= steady:
        bursts(share._replace(number=share.number - steady, workers=share.workers - steady))
    else:
        (busy, compilers, writers, compilers, busy)[share.number](share)


KINDS: dict[str, Work] = {"busy": busy, "bursts": bursts, "compilers": compilers, "writers": writers, "mixed": mixed}
USUAL_WORKERS = {"busy": 6, "bursts": 6, "compilers": 4, "writers": 2, "mixed": 13}


def _spin(until: float) -> None:
    now = time.monotonic()
    while now < until:
        look = now + _LOOK_S
        while now < look:
            now = time.monotonic()


def _compile(number: int) -> None:
    if (compiler := shutil.which("cc") or shutil.which("gcc")) is not None:
        command, source = [compiler, "-O2", "-S", "-x", "c", "-o", "-", "-"], _c_source(number)
    else:
        library = Path(os.__file__).parent
        files = [str(library / name) for name in ("argparse.py", "ast.py", "tarfile.py", "typing.py")]
        program = "import sys\nfor name in sys.argv[1:]: compile(open(name).read(), name, 'exec')"
        command, source = [sys.executable, "-I", "-S", "-c", program, *files], ""
    done = subprocess.run(
        command, input=source.encode(), stdout=subprocess.DEVNULL, timeout=_LONGEST_COMPILER_S, check=False
    )
    if done.returncode:
        raise SystemExit(f"{command[0]} ended with {done.returncode}")


def _c_source(number: int) -> str:
    """A program that keeps a compiler busy for about a tenth of a second."""
    function = "unsigned f%d(unsigned x) { for (unsigned i = 0; i < x; i++) x ^= (x << %d) + i * %du; return x; }"
    return "\n".join(function % (item, 1 + (item + number) % 30, item) for item in range(100))
