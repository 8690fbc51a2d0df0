"""The stand-in for Secrets Manager of one run, a child process."""

from __future__ import annotations

import contextlib
import os
import ssl
import threading
import time
from collections.abc import Sequence
from http.client import HTTPException, HTTPSConnection
from pathlib import Path

import msgspec

from sectax.experiments.client_server.certificates import ca_signed_loopback
from sectax.experiments.secrets import moto
from sectax.experiments.secrets.secret_store import Calls, SecretStore
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError
from sectax.hosts.registry import host
from sectax.model.errors import ExitStatus, SectaxError

HOST = "127.0.0.1"
_SERVER = Path(__file__).parent / "stand_in" / "server.py"
_START_S = 60.0  # moto loads in one second on an idle machine
_ANSWER_S = 10.0
_END_S = 5.0
_TRIPS = 3


class BackendFailed(SectaxError):
    """The stand-in for Secrets Manager did not start, or stopped responding."""

    exit_status = ExitStatus.NOTHING_MEASURED


class _Ready(msgspec.Struct):
    port: int
    tls: str


class Backend(SecretStore):
    """A store on this machine: a context manager that runs moto's Secrets Manager.

    It listens on `port` of the loopback interface. It closes the connection after each uncached or expiring secret.

    Attributes:
        certificate: the CA certificate that clients must trust, in PEM.
    """

    def __init__(self, sizes: Sequence[int], uncached: int, delay_s: float = 0.0, expiring: int = 0) -> None:
        """Args:
        sizes: lengths of the secrets in characters.
        uncached: number of secrets per size that each instance can fetch once.
        delay_s: seconds added to each round trip.
        expiring: number of secrets per size that an instance fetches again after they expire.
        """
        super().__init__("sectax", uncached, expiring)
        self.port = 0
        self.certificate, own = ca_signed_loopback("stand-in for AWS Secrets Manager")
        self._wanted = {"sizes": list(sizes), "uncached": uncached, "expiring": expiring, "delay_s": delay_s}
        self._wanted |= {"certificate": own.certificates, "key": own.key}
        self._child: Child | None = None
        self._lock = threading.Lock()  # subjects may be visited at the same time

    def __enter__(self) -> Backend:
        """Start it and wait until it responds. Raises `SectaxError`."""
        python = moto.python()
        # moto must not see the AWS and proxy variables of the user's environment.
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        self._child = host().start([str(python), "-I", str(_SERVER)], env=environment)
        try:
            ready = msgspec.json.decode(self._ask(self._wanted | {"marker": self._marker}, _START_S), type=_Ready)
            self.port, self.tls = ready.port, ready.tls
            self.round_trip_s = self._measure_round_trip()
        except BaseException:
            self._child.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.close(_END_S)

    @property
    def address(self) -> str:
        """The URL for functions."""
        return f"https://localhost:{self.port}"

    def calls(self) -> Calls:
        """Return the calls since the start. Raises `BackendFailed`."""
        return msgspec.json.decode(self._ask({}), type=Calls)

    def _measure_round_trip(self) -> float:
        """Return the shortest of a few empty calls over an open connection, in seconds."""
        trusted = ssl.create_default_context(cadata=self.certificate)
        try:
            with contextlib.closing(HTTPSConnection(HOST, self.port, timeout=_ANSWER_S, context=trusted)) as connection:
                connection.connect()
                durations = []
                for _ in range(_TRIPS):
                    start = time.monotonic()
                    connection.request("GET", "/")
                    connection.getresponse().read()
                    durations.append(time.monotonic() - start)
                return min(durations)
        except (OSError, HTTPException) as error:
            raise BackendFailed(f"the stand-in for Secrets Manager does not respond: {error}") from error

    def _ask(self, order: object, within_s: float = _ANSWER_S) -> bytes:
        assert self._child is not None, "the backend was not started"
        with self._lock:
            return self._await_reply(self._child, order, time.monotonic() + within_s)

    def _await_reply(self, child: Child, order: object, deadline: float) -> bytes:
        try:
            child.send(msgspec.json.encode(order) + b"\n", deadline)
            return child.receive_line(deadline)
        except ChildError as error:
            stderr = child.stderr_tail.decode(errors="replace").replace(self._marker, "…").strip()
            raise BackendFailed(
                f"the stand-in for Secrets Manager does not respond: {error}\n{stderr}".strip(),
                "run it again; if it happens again, report it",
            ) from error
