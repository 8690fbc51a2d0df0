"""Parts: PostgreSQL from the system's packages, and a client in C on libpq."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sectax.parts import c_programs, cache
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, family_part

SERVER, CLIENT = "database:server", "database:client"
# The first version that logs the authentication method.
_OLDEST = 14
_DEBIAN_FOLDER = Path("/usr/lib/postgresql")  # one folder per version


def programs() -> Path | None:
    """Folder with the newest `postgres`, `initdb`, `psql` and `pgbench`, or None."""
    folders = [folder / "bin" for folder in _DEBIAN_FOLDER.glob("*") if re.fullmatch(r"\d+", folder.name)]
    versions = {int(folder.parent.name): folder for folder in folders}
    folders = [versions[version] for version in sorted(versions, reverse=True) if version >= _OLDEST]
    on_path = shutil.which("postgres")
    folders += [Path(on_path).resolve().parent] if on_path else []
    needed = ("postgres", "initdb", "psql", "pgbench")
    return next((folder for folder in folders if all((folder / name).exists() for name in needed)), None)


def client() -> Path | None:
    """The client's program, built if necessary; None if that fails."""
    source, flags = cache.bundled("clients", "pg-c") / "pg_client.c", ("-I/usr/include/postgresql", "-lpq")
    built = c_programs.built(source, "pg-client", (c_programs.DYNAMIC,), flags)
    return None if built is None else built[0]


def part(name: str) -> Part:
    server = Part("database-server", "PostgreSQL", _server_missing, about="from the system's packages")
    client = Part("database-client", "the PostgreSQL client", _client_missing)
    return family_part("database", name, {"server": lambda: server, "client": lambda: client})


def _server_missing() -> Missing | None:
    if programs() is not None:
        return None
    reason = f"PostgreSQL {_OLDEST} or newer is not installed"
    return Missing(reason, "apt-get install postgresql", ("postgresql",))


def _client_missing() -> Missing | None:
    if client() is not None:
        return None
    packages = ("gcc", "libc6-dev", "libpq-dev")
    reason = "building the PostgreSQL client needs a C compiler and libpq"
    return Missing(reason, f"apt-get install {' '.join(packages)}", packages)
