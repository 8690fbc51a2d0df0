"""The run's own PostgreSQL on loopback, as an unprivileged user."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sectax.experiments.client_server.certificates import self_signed_loopback
from sectax.experiments.client_server.server import cpu_time_s, log_tail
from sectax.experiments.client_server.started_server import PORT, StartedServer
from sectax.experiments.client_server.work_folder import WorkFolder
from sectax.experiments.database import parts
from sectax.experiments.database.levels import ACCESS, MD5, SCRAM, TRUST
from sectax.model.errors import ExitStatus, SectaxError
from sectax.text.masking import masked_text
from sectax.text.printable import printable

WORK_FOLDERS = "database"
DATABASE = "postgres"
_OWNER = "sectax"
_WITHIN_S = 60.0
_ENDED_WITHIN_S = 1.0
_SHOWN = 300  # characters of a program's output
# No durability and no background work, since the data is thrown away; connections are logged for the witnesses.
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = '{socket}'
ssl = on
ssl_cert_file = '{certificate}'
ssl_key_file = '{key}'
fsync = off
autovacuum = off
log_connections = on
log_line_prefix = '%p '
lc_messages = 'C'
"""


class DatabaseFailed(SectaxError):
    """PostgreSQL cannot be set up here."""

    exit_status = ExitStatus.NOTHING_MEASURED


class Postgres:
    """Context manager that runs a server with one role per authentication method."""

    def __init__(self, passwords: Mapping[str, str], methods: Sequence[str]) -> None:
        """Args: passwords by role; authentication methods."""
        self._passwords, self._methods = passwords, methods
        self._stack = contextlib.ExitStack()
        self._server: StartedServer | None = None
        self._known: set[int] = set()  # its own processes, and those of open connections

    @property
    def server(self) -> StartedServer:
        assert self._server is not None, "it was not started"
        return self._server

    @property
    def authority(self) -> Path:
        return self._folder / "server.crt"

    def __enter__(self) -> Postgres:
        """Start the server; it must reject wrong passwords. Raises `SectaxError`."""
        try:
            self._set_up()
            self._start()
            self._fill()
            self._check_rejections()
            self._known = self._children()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def connection(self, level: str, password: str = "") -> str:
        """libpq connection string of a level, with its role's or another password."""
        access = ACCESS[level]
        words = {
            "host": "localhost",  # as its certificate has it
            "hostaddr": "127.0.0.1",
            "port": str(self.server.port),
            "dbname": DATABASE,
            "user": access.role,
            "password": password or self._passwords.get(access.role, ""),
            "sslmode": access.sslmode,
            # libpq would otherwise use certificates from the user's home.
            "sslrootcert": str(self.authority if access.sslmode == "verify-full" else self._folder / "none"),
            "sslcert": str(self._folder / "none"),
            "sslkey": str(self._folder / "none"),
            "sslcrl": str(self._folder / "none"),
            "gssencmode": "disable",
            "connect_timeout": "20",
        }
        return " ".join(f"{name}='{word}'" for name, word in words.items())

    def keep(self, backend: int) -> None:
        """Note the server process of an open connection."""
        self._known.add(backend)

    def spent_s(self) -> float | None:
        """CPU seconds of PostgreSQL's main process and all ended connections.

        The latter are counted in kernel ticks, so only the mean of many is right. Waits until the processes of closed
        connections have ended; None if they have not after a second.
        """
        deadline = time.monotonic() + _ENDED_WITHIN_S
        while not self._children() <= self._known:
            if time.monotonic() > deadline:
                return None
            time.sleep(0.0005)
        own_s = cpu_time_s(self.server.pid)
        fields = Path(f"/proc/{self.server.pid}/stat").read_text().rpartition(")")[2].split()
        return None if own_s is None else own_s + sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")

    def _children(self) -> set[int]:
        """Child processes; empty if the kernel does not list them."""
        pid = self.server.pid
        try:
            return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
        except OSError:
            return set()

    def authentication_method(self, backend: int) -> str:
        """Authentication method of a backend process, from the log; empty if unknown."""
        text = self.server.log.read_text(errors="replace")
        lines = [line for line in text.splitlines() if line.startswith(f"{backend} ")]
        if not any("connection authorized:" in line for line in lines):
            return ""
        match = re.search(r"connection authenticated: identity=\S+ method=(\S+)", "\n".join(lines))
        return match[1] if match else TRUST  # not logged for `trust`

    def _set_up(self) -> None:
        programs = parts.programs()
        assert programs is not None, "checked when the run was planned"
        self._programs = programs
        try:
            work = WorkFolder(WORK_FOLDERS)
        except OSError as error:
            raise DatabaseFailed(f"cannot create a folder for PostgreSQL: {error.strerror}") from error
        self._stack.callback(work.remove)
        self._folder, self._as = work.path, _ordinary_user()
        for name in ("data", "socket"):
            (self._folder / name).mkdir(mode=0o700)
        if self._as:
            # The user may enter the folder, but not list it.
            self._folder.chmod(0o711)
            for name in ("data", "socket"):
                shutil.chown(self._folder / name, *self._as)
        certificate, key = self_signed_loopback()
        self.authority.write_text(certificate)
        key_file = self._folder / "server.key"
        key_file.touch(mode=0o600)
        key_file.write_text(key)
        if self._as:
            shutil.chown(key_file, *self._as)
        self._run("initdb", "-D", str(self._folder / "data"), "-U", _OWNER, "--locale=C", "-E", "UTF8", "--no-sync")
        places = {"socket": self._folder / "socket", "certificate": self.authority, "key": key_file}
        with open(self._folder / "data" / "postgresql.conf", "a") as file:
            file.write(_SETTINGS.format_map(places))
        # The owner connects by a socket in a private folder.
        rules = [f"local all {_OWNER} trust"]
        rules += [f"host {DATABASE} {_role(method)} 127.0.0.1/32 {method}" for method in self._methods]
        (self._folder / "data" / "pg_hba.conf").write_text("\n".join(rules) + "\n")

    def _start(self) -> None:
        argv = (*self._command_line("postgres"), "-D", str(self._folder / "data"), "-p", PORT)
        self._server = StartedServer("PostgreSQL", argv, str(self._folder), ends_by=signal.SIGQUIT)
        self._stack.callback(self._server.stop)
        self._server.start()
        self._server.wait()
        deadline = time.monotonic() + _WITHIN_S
        while True:
            try:
                return self._ask("SELECT 1")
            except DatabaseFailed:
                self._server.check()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _fill(self) -> None:
        """Create pgbench's tables, and a role for every method."""
        words = ("-i", "-q", "-s", "1", "-h", str(self._folder / "socket"), "-p", str(self.server.port))
        self._run("pgbench", *words, "-U", _OWNER, DATABASE)
        for method in self._methods:
            role, password = _role(method), self._passwords.get(_role(method), "")
            stored = f"SET password_encryption = '{method}'; " if password else ""
            password_clause = f" PASSWORD '{password}'" if password else ""
            # A failing statement would be logged with its password.
            self._ask(f"SET log_min_error_statement = panic; {stored}CREATE ROLE {role} LOGIN{password_clause}")
            self._ask(f"GRANT SELECT ON pgbench_accounts TO {role}")

    def _check_rejections(self) -> None:
        """Check that wrong passwords and host names are rejected."""
        for method in self._methods:
            if method != TRUST:
                level = next(level for level, access in ACCESS.items() if access.method == method)
                self._expect_refusal(self.connection(level, "wrong"), "password authentication failed")
        if SCRAM in self._methods:
            wrong_name = self.connection("verify-full", "wrong").replace("host='localhost'", "host='other.example'")
            self._expect_refusal(wrong_name, "does not match host name")

    def _expect_refusal(self, connection: str, reason: str) -> None:
        done = self._psql(connection, "SELECT 1")
        if done.returncode == 0 or reason not in done.stderr:
            reply = self._safe(done.stderr) or "it was accepted"
            raise DatabaseFailed(f"PostgreSQL did not reject a client with '{reason}': {reply}", "report it")

    def _ask(self, statements: str) -> None:
        connection = f"host='{self._folder / 'socket'}' port='{self.server.port}' dbname='{DATABASE}' user='{_OWNER}'"
        done = self._psql(connection, statements)
        if done.returncode:
            raise DatabaseFailed(f"PostgreSQL cannot be set up: {self._safe(done.stderr)}{self._log_tail()}")

    def _psql(self, connection: str, statements: str) -> subprocess.CompletedProcess[str]:
        """Run statements from stdin, which keeps passwords out of process lists."""
        return subprocess.run(
            [str(self._programs / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", connection],
            input=statements + ";\n",
            capture_output=True,
            text=True,
            timeout=_WITHIN_S,
            env={"PATH": os.environ.get("PATH", ""), "HOME": str(self._folder)},
            check=False,
        )

    def _command_line(self, program: str) -> list[str]:
        own = [str(self._programs / program)]
        if self._as is None:
            return own
        user, group = self._as
        return ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", *own]

    def _run(self, program: str, *words: str) -> None:
        try:
            done = subprocess.run(
                [*self._command_line(program), *words],
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                cwd=self._folder,
                timeout=_WITHIN_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DatabaseFailed(f"{program} failed: {error}") from error
        if done.returncode:
            raise DatabaseFailed(f"{program} failed: {self._safe(done.stderr)}")

    def _safe(self, text: str) -> str:
        for password in self._passwords.values():
            text = text.replace(password, "…")
        return printable(" ".join(masked_text(text).split())[-_SHOWN:])

    def _log_tail(self) -> str:
        return log_tail(self.server.log, self._passwords.values())


def new_passwords() -> dict[str, str]:
    return {_role(method): secrets.token_hex(16) for method in (SCRAM, MD5)}


def _role(method: str) -> str:
    return next(access.role for access in ACCESS.values() if access.method == method)


def _ordinary_user() -> tuple[int, int] | None:
    """Unprivileged user if we are root, as PostgreSQL needs, or `DatabaseFailed`."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return entry.pw_uid, entry.pw_gid
    raise DatabaseFailed("PostgreSQL does not run as root, and there is no user 'postgres' or 'nobody'")
