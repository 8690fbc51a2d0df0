"""A local Lambda for a run: a server process, used through its API."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError
from sectax.hosts.registry import host
from sectax.model.errors import ExitStatus, SectaxError
from sectax.parts import lambda_local

MEASURED = "x-lambda-local-measured"
_START_S = 30.0  # it first tests the sandbox and removes what a killed server left
_STOP_S = 15.0  # extensions have 2 s to end


class NoLocalLambda(SectaxError):
    """The local Lambda cannot run here."""

    exit_status = ExitStatus.NOTHING_MEASURED


class InvocationReport(msgspec.Struct, frozen=True):
    """The server's report of an invocation (docs/lambda.md), or None."""

    duration_s: float
    billed_ms: int
    request_id: str = ""
    instance: str = ""
    invocation: int = 0
    after_answer_s: float | None = None
    init_s: float | None = None
    created_s: float | None = None
    cpu_time_s: float | None = None
    periods: int | None = None
    throttled_periods: int | None = None
    throttled_s: float | None = None
    max_memory_bytes: int | None = None
    memory_kills: int | None = None
    cpu_quota: float | None = None
    period_us: int | None = None
    memory_limit_bytes: int | None = None
    cgroup: str | None = None


class LocalLambda:
    """A context manager that runs the server, and removes all at exit.

    with LocalLambda() as local:
        client = local.client()
        client.create_function(…)
        answer = client.invoke(FunctionName="hello", LogType="Tail")
        measured(answer).throttled_periods
    """

    def __init__(self, *, instances: int = 10, idle_s: float = 300.0, allow: Sequence[tuple[str, int]] = ()) -> None:
        """Args: as the options of `sectax lambda serve`."""
        self.endpoint = ""
        self._words = ["--port", "0", "--instances", str(instances), "--idle", str(idle_s)]
        for name, port in allow:
            self._words += ["--allow", f"[{name}]:{port}" if ":" in name else f"{name}:{port}"]
        self._server: Child | None = None

    def __enter__(self) -> LocalLambda:
        """Start the server. Raises `SectaxError` if it cannot run here."""
        # Only the server can remove its instances; it does so when its stdin ends.
        argv = lambda_local.command("serve", "--json", *self._words)
        self._server = server = host().start(argv, env=lambda_local.environment(), ends_itself=True)
        deadline = time.monotonic() + _START_S
        try:
            ready = msgspec.json.decode(server.receive_line(deadline), type=lambda_local.LambdaCheck)
        except (ChildError, msgspec.DecodeError) as error:
            self.stop()
            stderr = server.stderr_tail.decode(errors="replace").strip()
            raise SectaxError(f"the local Lambda did not start: {error}\n{stderr}".strip(), "report it") from error
        if ready.error:
            self.stop()
            raise NoLocalLambda(ready.error, ready.hint)
        self.endpoint = ready.endpoint
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    def stop(self) -> None:
        """Stop the server and all its instances; idempotent."""
        if self._server is not None:
            self._server.close(_STOP_S)

    def client(self, **config: Any) -> Any:
        """Return a boto3 client for the server.

        Args:
            config: arguments of `botocore.config.Config`; retries are off by default.
        """
        import boto3  # type: ignore[import-untyped]  # takes a third of a second
        from botocore.config import Config  # type: ignore[import-untyped]

        # A function may take 15 minutes, and a retry would be measured as one call.
        wanted: dict[str, Any] = {"retries": {"total_max_attempts": 1}, "read_timeout": 960} | config
        return boto3.session.Session().client(
            "lambda",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - not a secret
            config=Config(**wanted),
        )


def measured(answer: dict[str, Any]) -> InvocationReport:
    """Read the server's report from the answer of boto3's `invoke`."""
    headers: dict[str, str] = answer["ResponseMetadata"]["HTTPHeaders"]
    return msgspec.json.decode(headers[MEASURED], type=InvocationReport)
