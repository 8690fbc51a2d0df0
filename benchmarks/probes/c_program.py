"""Builds and drives evp.c."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path
from types import TracebackType

from sectax.parts.cache import cache_folder

SOURCE = Path(__file__).with_name("evp.c")
# OpenSSL 3 calls PHP's functions old; they are the ones that PHP makes.
BUILD = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wno-deprecated-declarations"]


def built() -> Path:
    """The program, built with the system's compiler against the system's libcrypto (apt: gcc libssl-dev)."""
    mark = hashlib.sha256(SOURCE.read_bytes() + " ".join(BUILD).encode()).hexdigest()[:12]
    program = cache_folder() / "benchmarks" / f"evp-{mark}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run([*BUILD, "-o", str(program), str(SOURCE), "-lcrypto"], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"{SOURCE.name} cannot be built: {error}\nhint: apt-get install gcc libssl-dev") from error
    return program


def libcrypto_of(program: str) -> str:
    """The file of the libcrypto that a program is linked with; a ratio of two programs means something if it is one."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    lines = (line.split() for line in said.splitlines() if "libcrypto" in line)
    return str(Path(next((words[2] for words in lines), "none")).resolve())


class CProgram:
    """One process of evp.c, for one pair of keys."""

    def __init__(self, private: Path, public: Path, text: str) -> None:
        self._process = subprocess.Popen(
            [built(), private, public, text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.version = self._line()

    def __enter__(self) -> CProgram:
        return self

    def __exit__(self, *why: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.communicate()

    def batch(self, mode: str, count: int) -> float:
        """Seconds of a batch; whatever failed in it makes it worthless."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{mode} {count}\n")
        self._process.stdin.flush()
        nanoseconds, failures = self._line().split()
        if failures != "0":
            raise RuntimeError(f"evp {mode}: {failures} of {count} operations failed")
        return int(nanoseconds) * 1e-9

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"evp ended with status {self._process.wait()}")
        return line.strip()
