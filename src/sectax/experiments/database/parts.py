"""What must be installed or built for the experiment: PostgreSQL from the system, and a client in C on its libpq."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sectax.parts import c_programs, cache
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, family_part

SERVER, CLIENT = "database:server", "database:client"
# Before it, a log does not say by which method somebody came in.
_OLDEST = 14
_PLACES = Path("/usr/lib/postgresql")  # of Debian and its relatives, one folder for every version


def programs() -> Path | None:
    """The folder with the newest `postgres`, `initdb`, `psql` and `pgbench`; None where there is none."""
    folders = [place / "bin" for place in _PLACES.glob("*") if re.fullmatch(r"\d+", place.name)]
    versions = {int(folder.parent.name): folder for folder in folders}
    folders = [versions[version] for version in sorted(versions, reverse=True) if version >= _OLDEST]
    on_path = shutil.which("postgres")
    folders += [Path(on_path).resolve().parent] if on_path else []
    needed = ("postgres", "initdb", "psql", "pgbench")
    return next((folder for folder in folders if all((folder / name).exists() for name in needed)), None)


def client() -> Path | None:
    """The client's program, built where it is not there yet; None where it cannot be."""
    built = c_programs.built(
        cache.bundled("clients", "pg-c") / "pg_client.c",
        "pg-client",
        (c_programs.DYNAMIC,),
        ("-I/usr/include/postgresql", "-lpq"),
    )
    return None if built is None else built[0]


def part(name: str) -> Part:
    server = Part("database-server", "PostgreSQL", _server_missing, about="from the system's packages")
    client = Part("database-client", "the PostgreSQL client", _client_missing)
    return family_part("database", name, {"server": lambda: server, "client": lambda: client})


def _server_missing() -> Missing | None:
    if programs() is not None:
        return None
    hint = "apt-get install postgresql"
    return Missing(f"PostgreSQL {_OLDEST} or newer is not installed", hint, ("postgresql",))


def _client_missing() -> Missing | None:
    if client() is not None:
        return None
    lacking = ("gcc", "libc6-dev", "libpq-dev")
    hint = f"apt-get install {' '.join(lacking)}"
    return Missing("the PostgreSQL client needs a C compiler and libpq to be built", hint, lacking)
