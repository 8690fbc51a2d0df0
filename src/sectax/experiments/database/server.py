"""A PostgreSQL of the run's own: in a folder of its own, on a free port of loopback, by an ordinary user."""

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

from sectax.experiments.client_server.certificates import for_loopback
from sectax.experiments.client_server.server import ServerFailed, cpu_time_s, log_tail
from sectax.experiments.client_server.started import PORT, StartedServer
from sectax.experiments.client_server.work_folder import WorkFolder
from sectax.experiments.database import parts
from sectax.experiments.database.levels import ACCESS, MD5, SCRAM, TRUST
from sectax.model.errors import ExitStatus, SectaxError
from sectax.text.printable import printable

WORK_FOLDERS = "database"
DATABASE = "postgres"
_OWNER = "sectax"
_WITHIN_S = 60.0
_ENDED_WITHIN_S = 1.0
_SHOWN = 300  # characters of what a program said
# What is written is thrown away with the run. Nothing runs beside the transactions but what they need, and the log says
# how everybody came in.
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
    """A context manager. Inside it the server answers on `port`, to one role for each method and nobody else."""

    def __init__(self, passwords: Mapping[str, str], methods: Sequence[str]) -> None:
        """Args: by role, of those that have one; the methods whose roles there are."""
        self._passwords, self._methods = passwords, methods
        self._stack = contextlib.ExitStack()
        self._server: StartedServer | None = None
        self._known: set[int] = set()  # its own processes, and those of connections that are kept

    @property
    def server(self) -> StartedServer:
        assert self._server is not None, "it was not started"
        return self._server

    @property
    def authority(self) -> Path:
        """The certificate to trust."""
        return self._folder / "server.crt"

    def __enter__(self) -> Postgres:
        """Set it up, start it, and see that it refuses who has the wrong password or name. Raises `SectaxError`."""
        try:
            self._set_up()
            self._start()
            self._fill()
            self._try_locks()
            self._known = self._children()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def connection(self, level: str, password: str = "") -> str:
        """What libpq is given for a level. It holds the password of its role, or the one that is given."""
        access = ACCESS[level]
        words = {
            "host": "localhost",  # as its certificate has it
            "hostaddr": "127.0.0.1",
            "port": str(self.server.port),
            "dbname": DATABASE,
            "user": access.role,
            "password": password or self._passwords.get(access.role, ""),
            "sslmode": access.sslmode,
            # libpq would otherwise look into the user's home, and trust or show what it finds there.
            "sslrootcert": str(self.authority if access.sslmode == "verify-full" else self._folder / "none"),
            "sslcert": str(self._folder / "none"),
            "sslkey": str(self._folder / "none"),
            "sslcrl": str(self._folder / "none"),
            "gssencmode": "disable",
            "connect_timeout": "20",
        }
        return " ".join(f"{name}='{word}'" for name, word in words.items())

    def keep(self, backend: int) -> None:
        """This process serves a connection that stays open."""
        self._known.add(backend)

    def spent_s(self) -> float | None:
        """CPU time of PostgreSQL's first process, and of every process of a connection that has ended, in seconds.

        The latter in ticks of the kernel, so that only the average of many is right. Waits until the processes of all
        connections that were closed have ended; None where they have not after a second.
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
        """Empty where the kernel does not list them: then it may be a connection too early."""
        pid = self.server.pid
        try:
            return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
        except OSError:
            return set()

    def authentication_method(self, backend: int) -> str:
        """By which method somebody came in whom this process serves, as the server's log says it; empty if it does not.

        Of a method that asks for nothing the log names none.
        """
        text = self.server.log.read_text(errors="replace")
        lines = [line for line in text.splitlines() if line.startswith(f"{backend} ")]
        if not any("connection authorized:" in line for line in lines):
            return ""
        match = re.search(r"connection authenticated: identity=\S+ method=(\S+)", "\n".join(lines))
        return match[1] if match else TRUST

    def _set_up(self) -> None:
        programs = parts.programs()
        assert programs is not None, "its part was there when the run was planned"
        self._programs = programs
        try:
            work = WorkFolder(WORK_FOLDERS)
        except OSError as error:
            raise DatabaseFailed(f"no folder can be made for PostgreSQL: {error.strerror}") from error
        self._stack.callback(work.remove)
        self._folder, self._as = work.path, _ordinary_user()
        for name in ("data", "socket"):
            (self._folder / name).mkdir(mode=0o700)
        if self._as:
            # To be passed through, and not to be looked into.
            self._folder.chmod(0o711)
            for name in ("data", "socket"):
                shutil.chown(self._folder / name, *self._as)
        certificate, key = for_loopback()
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
        # The owner comes in by a socket in a folder that is closed to others, and nobody else does.
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
        """The tables of pgbench, and a role for every method, whose password is stored as its method needs it."""
        words = ("-i", "-q", "-s", "1", "-h", str(self._folder / "socket"), "-p", str(self.server.port))
        self._run("pgbench", *words, "-U", _OWNER, DATABASE)
        for method in self._methods:
            role, password = _role(method), self._passwords.get(_role(method), "")
            stored = f"SET password_encryption = '{method}'; " if password else ""
            password_clause = f" PASSWORD '{password}'" if password else ""
            # A statement that fails is otherwise written into the log, and its password with it.
            self._ask(f"SET log_min_error_statement = panic; {stored}CREATE ROLE {role} LOGIN{password_clause}")
            self._ask(f"GRANT SELECT ON pgbench_accounts TO {role}")

    def _try_locks(self) -> None:
        """Nobody measures a lock that does not lock."""
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
            reply = self._safe(done.stderr) or "it is accepted"
            raise DatabaseFailed(f"PostgreSQL is to refuse a client because it {reason}: {reply}", "report it")

    def _ask(self, statements: str) -> None:
        place = f"host='{self._folder / 'socket'}' port='{self.server.port}' dbname='{DATABASE}' user='{_OWNER}'"
        done = self._psql(place, statements)
        if done.returncode:
            raise DatabaseFailed(f"PostgreSQL cannot be set up: {self._safe(done.stderr)}{self._log_tail()}")

    def _psql(self, connection: str, statements: str) -> subprocess.CompletedProcess[str]:
        """Statements come over stdin, so that a password in them stands in no list of processes."""
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
            raise DatabaseFailed(f"{program} did not work: {error}") from error
        if done.returncode:
            raise DatabaseFailed(f"{program} failed: {self._safe(done.stderr)}")

    def _safe(self, text: str) -> str:
        for password in self._passwords.values():
            text = text.replace(password, "…")
        return printable(" ".join(text.split())[-_SHOWN:])

    def _log_tail(self) -> str:
        return log_tail(self.server.log, self._passwords.values())


def new_passwords() -> dict[str, str]:
    """A password for every role that has one."""
    return {_role(method): secrets.token_hex(16) for method in (SCRAM, MD5)}


def _role(method: str) -> str:
    return next(access.role for access in ACCESS.values() if access.method == method)


def _ordinary_user() -> tuple[int, int] | None:
    """User and group of an ordinary user, where we are root: PostgreSQL refuses to be run by root.

    Raises:
        DatabaseFailed: there is none.
    """
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return entry.pw_uid, entry.pw_gid
    raise DatabaseFailed("there is no user 'postgres' or 'nobody', and PostgreSQL does not run as root")


__all__ = ["DATABASE", "WORK_FOLDERS", "DatabaseFailed", "Postgres", "ServerFailed", "new_passwords"]
