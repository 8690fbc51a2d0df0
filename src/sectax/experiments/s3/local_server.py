"""A local S3 server on loopback, with random credentials, with or without TLS."""

from __future__ import annotations

import contextlib
import http.client
import os
import secrets
import ssl
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from sectax.experiments.client_server.server import ServerFailed, log_tail, start_server
from sectax.experiments.client_server.work_folder import WorkFolder
from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.parts import SeaweedFsProgram
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError, ChildSilent
from sectax.model.why_not import WhyNot
from sectax.parts import files
from sectax.parts.go_programs import GoProgram

KMS_KEY = "sectax"
WORK_FOLDERS = "s3"

_START_S = 30.0
_LOOK_EVERY_S = 0.02
_ATTEMPTS = 3  # since another program can take a free port first


class LocalServer(ABC):
    """One server process with temporary data.

    Attributes:
        title: its name in messages.
        note: what applies to its results, as sentences; may be empty.
        set_up: the command that installs it.
        access: address and credentials, once started.
        data: folder of its objects.
    """

    title: ClassVar[str]
    note: ClassVar[str]
    set_up: ClassVar[str]

    def __init__(self, base: Path, *, tls: bool = False) -> None:
        """Args: parent of its folder; whether it uses HTTPS."""
        self.access = S3Access("")
        self.data = base
        self._base = base
        self._tls = tls
        self._folder: WorkFolder | None = None
        self._process: Child | None = None
        self._log = base

    @staticmethod
    @abstractmethod
    def program() -> GoProgram | SeaweedFsProgram:
        """Its program in the cache."""

    @staticmethod
    @abstractmethod
    def lacks(encryption: str) -> WhyNot | None:
        """Why it does not support an encryption, or None."""

    @classmethod
    def named(cls) -> str:
        """Its name and version."""
        return f"{cls.title} {cls.program().version}"

    @abstractmethod
    def files(self, bucket: str, key: str = "") -> Sequence[Path]:
        """Files that contain a bucket's objects, or if possible one object only."""

    @abstractmethod
    def largest_stored(self, buckets: Sequence[str], folder: str) -> int | None:
        """Bytes on disk of the largest object in a folder of these buckets, or None."""

    def prepare(self, buckets: Sequence[str]) -> None:  # noqa: B027 - optional
        """Make new buckets ready for their first objects."""

    def reclaim(self) -> None:  # noqa: B027 - optional
        """Free the disk space of deleted objects."""

    @abstractmethod
    def _configure(self, root: Path, access_key: str, secret_key: str) -> None:
        """Write private configuration files; processes show their environment and command line."""

    @abstractmethod
    def _command(self, root: Path) -> tuple[int, list[str], dict[str, str]]:
        """A free port, the command that serves there, and its environment."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether it answers."""

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server was not started"
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers. Raises `ServerFailed`."""
        program = self.program()
        lack = program.missing()
        if lack is not None:
            raise ServerFailed(f"{program.title}: {lack.reason}", self.set_up)
        try:
            self._prepare_folder()
        except OSError as error:
            self.stop()
            reason = f"cannot write below {self._base}: {error.strerror}"
            raise ServerFailed(reason, "give another folder with --data") from error
        for attempt in range(_ATTEMPTS):
            try:
                self._launch()
                return
            except ServerFailed:
                if attempt == _ATTEMPTS - 1 or "address already in use" not in log_tail(self._log, most=10_000):
                    self.stop()
                    raise
                self._end_process()

    def _prepare_folder(self) -> None:
        self._folder = WorkFolder(WORK_FOLDERS, self._base)
        root = self._folder.path
        self.data, self._log = root / "data", root / "log"
        for name in ("data", "certs", "home"):
            (root / name).mkdir()
        user, password = secrets.token_hex(10), secrets.token_hex(20)
        certificate = ""
        if self._tls:
            from sectax.experiments.client_server.certificates import self_signed_loopback  # with cryptography

            certificate, key = self_signed_loopback()
            (root / "certs" / "public.crt").write_text(certificate)
            files.write_new(root / "certs" / "private.key", key.encode(), private=True)
        self._configure(root, user, password)
        self.access = S3Access("", access_key=user, secret_key=password, ca_pem=certificate)

    def _launch(self) -> None:
        assert self._folder is not None
        root = self._folder.path
        port, words, environment = self._command(root)
        environment = {"PATH": os.defpath, "HOME": str(root / "home"), "TMPDIR": str(root)} | environment
        scheme = "https" if self._tls else "http"
        self.access = replace(self.access, endpoint=f"{scheme}://127.0.0.1:{port}")
        try:
            self._process = start_server(words, self._log, environment, str(root))
        except ChildError as error:
            raise ServerFailed(f"{self.title} cannot be started: {error}") from error
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            self.check()
            if self._is_ready():
                return
            time.sleep(_LOOK_EVERY_S)
        raise ServerFailed(f"{self.title} did not answer within {_START_S:g} s{self.log_tail()}", "try again")

    def _get(self, path: str, port: int = 0, timeout_s: float = 2.0) -> bytes | None:
        """The body of an answer of status 200, or None: of its own port, or of another without TLS."""
        own = int(self.access.endpoint.rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port or own, timeout=timeout_s)
        if self._tls and not port:
            context = ssl.create_default_context(cadata=self.access.ca_pem)
            connection = http.client.HTTPSConnection("127.0.0.1", own, timeout=timeout_s, context=context)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", path, headers={"Accept": "application/json"})
            answer = connection.getresponse()
            return answer.read() if answer.status == http.HTTPStatus.OK else None
        return None

    def check(self) -> None:
        """Raise `ServerFailed` with the end of its log if it has ended."""
        if self._process is None:
            raise ServerFailed(f"{self.title} was not started")
        with contextlib.suppress(ChildSilent):
            status = self._process.wait(time.monotonic())
            raise ServerFailed(f"{self.title} ended with exit status {status}{self.log_tail()}", "sectax resume RUN")

    def is_running(self) -> bool:
        return self._process is not None and self._process.is_running()

    def stop(self) -> None:
        """Kill it and remove its data; may be called again, never raises."""
        self._end_process()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _end_process(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError, ChildError):
                self._process.kill()
            self._process = None

    def log_tail(self) -> str:
        return log_tail(self._log, self.access.secrets())
