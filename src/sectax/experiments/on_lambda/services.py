"""The Lambda service of a bench: clients, local server, layers."""

from __future__ import annotations

import contextlib
import hashlib
from typing import Any
from urllib.parse import urlsplit

from sectax.experiments.on_lambda import AWS, LOCAL
from sectax.experiments.on_lambda.code import read_code
from sectax.experiments.on_lambda.local_lambda import LocalLambda
from sectax.model.errors import ExitStatus, SectaxError, WrongUse
from sectax.text.printable import printable

# Each treatment of a cell needs its instance for the whole block: a reaped one would cause a cold start.
_INSTANCES = 200
_IDLE_S = 24 * 3600.0
_REGION = "us-east-1"  # default for addresses other than AWS
# Local traffic must not go through the environment's proxy.
_NO_PROXY: dict[str, str] = {}
# Endpoints from the environment and AWS's configuration files (AWS_ENDPOINT_URL, endpoint_url) are ignored: they may
# be any server, without TLS. Users name another Lambda with --endpoint.
_AWS_ITSELF: dict[str, Any] = {"ignore_configured_endpoint_urls": True}
_ANSWER_S = 10.0  # deadline of the first answer


class NoService(SectaxError):
    """There is no Lambda at an address."""

    exit_status = ExitStatus.NOTHING_MEASURED


class LambdaService:
    """AWS's Lambda API at one endpoint, as a context manager.

    Attributes:
        endpoint: `LOCAL`, an address, or `AWS` (None), with the credentials of the environment.
    """

    def __init__(self, endpoint: str | None, allow: tuple[tuple[str, int], ...] = ()) -> None:
        """Args: *allow* as of `LocalLambda`."""
        self.endpoint = endpoint
        local = LocalLambda(instances=_INSTANCES, idle_s=_IDLE_S, allow=allow)
        self._local = local if endpoint == LOCAL else None
        self._clients: dict[float, Any] = {}
        self._layers: dict[str, str] = {}

    def __enter__(self) -> LambdaService:
        """Start the local server, or check the address.

        Raises:
            SectaxError: the local Lambda cannot run here, or no Lambda responds at the address.
        """
        if self._local is not None:
            self._local.__enter__()
        elif self.endpoint is not AWS:
            self._check_endpoint(self.endpoint)
        return self

    def __exit__(self, *error: object) -> None:
        """Stop the local server, or delete the layers that were published; never raises.

        A local server also stops by itself if this process dies.
        """
        if self._local is not None:
            self._local.stop()
            return
        for arn in self._layers.values():
            name, _, version = arn.rpartition(":")
            for client in list(self._clients.values())[:1]:
                with contextlib.suppress(Exception):
                    client.delete_layer_version(LayerName=name, VersionNumber=int(version))

    def client(self, read_timeout_s: float) -> Any:
        """Return boto3's client without retries, which would hide throttling."""
        if read_timeout_s not in self._clients:
            self._clients[read_timeout_s] = self._new_client(read_timeout_s)
        return self._clients[read_timeout_s]

    def layer(self, client: Any, source: str) -> str:
        """Return a layer's ARN, published once, or `failures.SERVICE_ERRORS`."""
        from sectax.experiments.on_lambda.failures import reading_answer  # with boto3's own errors

        if source.startswith("arn:"):
            return source
        archive = read_code(source)
        mark = hashlib.sha256(archive).hexdigest()
        if mark not in self._layers:
            with reading_answer("PublishLayerVersion"):
                published = client.publish_layer_version(LayerName=f"sectax-{mark[:16]}", Content={"ZipFile": archive})
                self._layers[mark] = str(published["LayerVersionArn"])
        return self._layers[mark]

    def _check_endpoint(self, address: str) -> None:
        """Require any answer of a Lambda, so that a wrong address is reported once."""
        from sectax.experiments.on_lambda.failures import (
            FORMAT_ERRORS,
            SERVICE_ERRORS,
            endpoint_failure,
            is_lambdas_own,
        )

        try:
            client = self.client(_ANSWER_S)
        except ValueError as error:  # boto3's error for an invalid address
            raise WrongUse(f"{address} is not an address: {error}", "check --endpoint") from error
        try:
            answer = client.list_functions(MaxItems=1)
        except (*SERVICE_ERRORS, *FORMAT_ERRORS) as error:
            if is_lambdas_own(error):
                return
            message, hint = endpoint_failure(error)
            raise NoService(f"no Lambda at {address}: {printable(message)}", hint) from error
        if not isinstance(answer.get("Functions"), list):
            raise NoService(f"no Lambda at {address}: the server does not list functions", "check --endpoint")

    def _new_client(self, read_timeout_s: float) -> Any:
        if self._local is not None:
            return self._local.client(read_timeout=read_timeout_s, proxies=_NO_PROXY)
        import boto3  # type: ignore[import-untyped]  # takes a third of a second
        from botocore.config import Config  # type: ignore[import-untyped]

        session = boto3.session.Session()
        wanted: dict[str, Any] = {"retries": {"total_max_attempts": 1}, "read_timeout": read_timeout_s}
        if self.endpoint is AWS:
            return session.client("lambda", config=Config(**wanted, **_AWS_ITSELF))
        where = {"endpoint_url": self.endpoint, "region_name": session.region_name or _REGION}
        wanted["connect_timeout"] = _ANSWER_S
        if urlsplit(self.endpoint).scheme == "http":  # on this machine, which accepts any credentials
            wanted["proxies"] = _NO_PROXY
            if session.get_credentials() is None:
                where |= {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        return session.client("lambda", config=Config(**wanted), **where)
