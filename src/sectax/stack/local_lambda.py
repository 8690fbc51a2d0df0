"""A local Lambda for a run: a server in a process of its own, so that no other thread of sectax shares its GIL."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

import msgspec

from lambda_local.instances.invocation import Measured
from lambda_local.sandbox import SandboxMissing
from lambda_local.settings import Ready, Settings
from sectax.model.errors import SectaxError
from sectax.sandboxes.hosts import host
from sectax.sandboxes.process.child import Child
from sectax.sandboxes.process.errors import ChildError

_START_S = 30.0  # the sandbox is tried out first, and what a killed server left is removed
_STOP_S = 15.0  # extensions have 2 s to end


class LocalLambda:
    """A context manager: the server runs inside it, and nothing of it is left behind it.

    with LocalLambda() as local:
        client = local.client()
        client.create_function(…)
        answer = client.invoke(FunctionName="hello", LogType="Tail")
        measured(answer).throttled_periods
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.endpoint = ""
        self._settings = settings or Settings()
        self._server: Child | None = None

    def __enter__(self) -> LocalLambda:
        """Start the server. Raises `SectaxError` where it cannot run here."""
        # It alone can remove its instances, and it does so when its stdin ends.
        self._server = server = host().start([sys.executable, "-m", "lambda_local"], ends_itself=True)
        deadline = time.monotonic() + _START_S
        try:
            server.send(msgspec.json.encode(self._settings) + b"\n", deadline)
            ready = msgspec.json.decode(server.receive_line(deadline), type=Ready)
        except (ChildError, msgspec.DecodeError) as error:
            self.stop()
            said = server.stderr_tail.decode(errors="replace").strip()
            raise SectaxError(f"the local Lambda did not start: {error}\n{said}".strip(), "report it") from error
        if ready.error:
            self.stop()
            raise SandboxMissing(ready.error, ready.hint)
        self.endpoint = ready.endpoint
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The server's."""
        assert self._server is not None
        return self._server.pid

    def stop(self) -> None:
        """End the server with all its instances. May be called again and again."""
        if self._server is not None:
            self._server.close(_STOP_S)

    def client(self, **config: Any) -> Any:
        """A boto3 client for it.

        Args:
            config: of `botocore.config.Config`; calls are not repeated unless it says so.
        """
        import boto3  # type: ignore[import-untyped]  # it takes a third of a second
        from botocore.config import Config  # type: ignore[import-untyped]

        # A function may take 15 minutes, and a repeated call would be measured as one.
        wanted: dict[str, Any] = {"retries": {"total_max_attempts": 1}, "read_timeout": 960} | config
        return boto3.session.Session().client(
            "lambda",
            endpoint_url=self.endpoint,
            region_name=self._settings.region,
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - it means nothing anywhere
            config=Config(**wanted),
        )


def measured(answer: dict[str, Any]) -> Measured:
    """What the service measured of an invocation.

    Args:
        answer: of boto3's `invoke`.
    """
    headers: dict[str, str] = answer["ResponseMetadata"]["HTTPHeaders"]
    return msgspec.json.decode(headers["x-sectax-measured"], type=Measured)
