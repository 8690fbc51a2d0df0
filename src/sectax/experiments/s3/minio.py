"""MinIO on loopback, with random credentials, with or without TLS.

MinIO is under the AGPL: sectax only starts the program and speaks S3 to it. It is no longer maintained upstream.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import secrets
import ssl
import time
from dataclasses import replace
from pathlib import Path

from sectax.experiments.client_server.server import ServerFailed, free_port, log_tail, start_server
from sectax.experiments.client_server.work_folder import WorkFolder
from sectax.experiments.s3 import parts
from sectax.experiments.s3.access import S3Access
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError, ChildSilent
from sectax.model.why_not import WhyNot
from sectax.parts import files

KMS_KEY = "sectax"
WORK_FOLDERS = "s3"

_START_S = 30.0
_LOOK_EVERY_S = 0.02
_PORTS = 3  # attempts, since another program can take a free port first


class Minio:
    """One server process with temporary data.

    Attributes:
        access: address and credentials, once started.
        data: folder of its objects.
    """

    def __init__(self, base: Path, *, tls: bool = False) -> None:
        """Args: parent of its folder; whether it uses HTTPS."""
        self._program = parts.minio()
        self.access = S3Access("")
        self.data = base
        self._base = base
        self._tls = tls
        self._folder: WorkFolder | None = None
        self._process: Child | None = None
        self._log = base

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server was not started"
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers. Raises `ServerFailed`."""
        lack = self._program.missing()
        if lack is not None:
            raise ServerFailed(f"{self._program.title}: {lack.reason}", "sectax setup s3")
        try:
            self._prepare()
        except OSError as error:
            self.stop()
            reason = f"cannot write below {self._base}: {error.strerror}"
            raise ServerFailed(reason, "give another folder with --data") from error
        for attempt in range(_PORTS):
            try:
                self._launch()
                return
            except ServerFailed:
                if attempt == _PORTS - 1 or "address already in use" not in log_tail(self._log, most=10_000):
                    self.stop()
                    raise
                self._end_process()

    def _prepare(self) -> None:
        self._folder = WorkFolder(WORK_FOLDERS, self._base)
        root = self._folder.path
        self.data, self._log = root / "data", root / "log"
        for name in ("data", "certs", "home"):
            (root / name).mkdir()
        user, password = secrets.token_hex(10), secrets.token_hex(20)
        kms = base64.b64encode(secrets.token_bytes(32)).decode()
        # A private file: environment and command line are visible in process lists.
        settings = {
            "MINIO_ROOT_USER": user,
            "MINIO_ROOT_PASSWORD": password,
            "MINIO_KMS_SECRET_KEY": f"{KMS_KEY}:{kms}",
            "MINIO_BROWSER": "off",
            "MINIO_UPDATE": "off",
            "MINIO_SCANNER_SPEED": "slowest",  # less background work
        }
        lines = "".join(f"{name}={value}\n" for name, value in settings.items())
        files.write_new(root / "settings", lines.encode(), private=True)
        certificate = ""
        if self._tls:
            from sectax.experiments.client_server.certificates import self_signed_loopback  # with cryptography

            certificate, key = self_signed_loopback()
            (root / "certs" / "public.crt").write_text(certificate)
            files.write_new(root / "certs" / "private.key", key.encode(), private=True)
        self.access = S3Access("", access_key=user, secret_key=password, ca_pem=certificate)

    def _launch(self) -> None:
        assert self._folder is not None
        root, port = self._folder.path, free_port()
        words = [str(self._program.path), "server", "--quiet", "--address", f"127.0.0.1:{port}"]
        words += ["--certs-dir", str(root / "certs"), str(self.data)]
        environment = {
            "PATH": os.defpath,
            "HOME": str(root / "home"),
            "TMPDIR": str(root),
            "MINIO_CONFIG_ENV_FILE": str(root / "settings"),
        }
        try:
            self._process = start_server(words, self._log, environment)
        except ChildError as error:
            raise ServerFailed(f"MinIO cannot be started: {error}") from error
        self._await(port)
        scheme = "https" if self._tls else "http"
        self.access = replace(self.access, endpoint=f"{scheme}://127.0.0.1:{port}")

    def _await(self, port: int) -> None:
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            self.check()
            if self._answers(port):
                return
            time.sleep(_LOOK_EVERY_S)
        raise ServerFailed(f"MinIO did not answer within {_START_S:g} s{self.log_tail()}", "try again")

    def _answers(self, port: int) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        if self._tls:
            context = ssl.create_default_context(cadata=self.access.ca_pem)
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=2, context=context)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/minio/health/ready")
            return connection.getresponse().status == http.HTTPStatus.OK
        return False

    def check(self) -> None:
        """Raise `ServerFailed` with the end of its log if it has ended."""
        if self._process is None:
            raise ServerFailed("MinIO was not started")
        with contextlib.suppress(ChildSilent):
            status = self._process.wait(time.monotonic())
            raise ServerFailed(f"MinIO ended with exit status {status}{self.log_tail()}", "sectax resume RUN")

    def is_running(self) -> bool:
        return self._process is not None and self._process.is_running()

    def stop(self) -> None:
        """End it and remove its data; may be called again, never raises."""
        self._end_process()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _end_process(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError, ChildError):
                self._process.kill()
            self._process = None

    @staticmethod
    def lacks(encryption: str) -> WhyNot | None:
        """Why MinIO does not support an encryption, or None."""
        if encryption == "sse-kms-bucket-key":
            return WhyNot("MinIO has no bucket keys: it accepts and ignores the setting", "--endpoint aws")
        return None

    def log_tail(self) -> str:
        return log_tail(self._log, self.access.secrets())
