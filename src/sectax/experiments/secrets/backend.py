"""The stand-in for Secrets Manager of one run: a process of its own, which ends with the run however that ends."""

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

from sectax.experiments.client_server.certificates import signed_for_loopback
from sectax.experiments.secrets import moto
from sectax.experiments.secrets.secret_store import Calls, SecretStore
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError
from sectax.hosts.registry import host
from sectax.model.errors import ExitStatus, SectaxError

HOST = "127.0.0.1"
_SERVER = Path(__file__).parent / "stand_in" / "server.py"
_START_S = 60.0  # moto takes a second to load, on a machine that is not busy
_ANSWER_S = 10.0
_END_S = 5.0
_TRIPS = 3


class BackendFailed(SectaxError):
    """The stand-in for Secrets Manager cannot be started, or has stopped answering."""

    exit_status = ExitStatus.NOTHING_MEASURED


class _Ready(msgspec.Struct):
    port: int
    tls: str


class Backend(SecretStore):
    """A keeper on this machine, and a context manager.

    Inside it moto's Secrets Manager answers, at `port` of this machine's loopback alone. It closes the connection over
    which a rare secret came, or one that is fetched sometimes.

    Attributes:
        certificate: of the authority that signed its own, in PEM.
    """

    def __init__(self, sizes: Sequence[int], rare: int, delay_s: float = 0.0, sometimes: int = 0) -> None:
        """Args:
        sizes: characters of the secrets.
        rare: how many secrets of every size each instance can fetch once.
        delay_s: seconds that every round trip takes longer.
        sometimes: how many secrets of every size an instance can fetch whenever its cache has let them go.
        """
        super().__init__("sectax", rare, sometimes)
        self.port = 0
        self.certificate, own = signed_for_loopback("stand-in for AWS Secrets Manager")
        self._wanted = {"sizes": list(sizes), "rare": rare, "sometimes": sometimes, "delay_s": delay_s}
        self._wanted |= {"certificate": own.certificates, "key": own.key}
        self._child: Child | None = None
        self._asking = threading.Lock()  # subjects that are visited at once all ask

    def __enter__(self) -> Backend:
        """Start it and wait until it answers. Raises `SectaxError`."""
        python = moto.python()
        # What AWS's clients read in an environment is not moto's business, and a proxy is nobody's.
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        self._child = host().start([str(python), "-I", str(_SERVER)], env=environment)
        try:
            ready = msgspec.json.decode(self._ask(self._wanted | {"marker": self._marker}, _START_S), type=_Ready)
            self.port, self.tls = ready.port, ready.tls
            self.round_trip_s = self._seen_round_trip_s()
        except BaseException:
            self._child.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.close(_END_S)

    @property
    def address(self) -> str:
        """Where functions find it."""
        return f"https://localhost:{self.port}"

    def calls(self) -> Calls:
        """What it was asked up to now. Raises `BackendFailed`."""
        return msgspec.json.decode(self._ask({}), type=Calls)

    def _seen_round_trip_s(self) -> float:
        """What a call takes that asks for nothing, over a connection that is there already: the shortest of a few."""
        trusted = ssl.create_default_context(cadata=self.certificate)
        try:
            with contextlib.closing(HTTPSConnection(HOST, self.port, timeout=_ANSWER_S, context=trusted)) as connection:
                connection.connect()
                took = []
                for _ in range(_TRIPS):
                    began = time.monotonic()
                    connection.request("GET", "/")
                    connection.getresponse().read()
                    took.append(time.monotonic() - began)
                return min(took)
        except (OSError, HTTPException) as error:
            raise BackendFailed(f"the stand-in for Secrets Manager does not answer: {error}") from error

    def _ask(self, order: object, within_s: float = _ANSWER_S) -> bytes:
        assert self._child is not None, "the backend was not started"
        with self._asking:
            return self._await_reply(self._child, order, time.monotonic() + within_s)

    def _await_reply(self, child: Child, order: object, deadline: float) -> bytes:
        try:
            child.send(msgspec.json.encode(order) + b"\n", deadline)
            return child.receive_line(deadline)
        except ChildError as error:
            stderr = child.stderr_tail.decode(errors="replace").replace(self._marker, "…").strip()
            raise BackendFailed(
                f"the stand-in for Secrets Manager does not answer: {error}\n{stderr}".strip(),
                "run it again; if it happens again, report it",
            ) from error
