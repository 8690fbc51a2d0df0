"""One deployed function, from CreateFunction to DeleteFunction."""

from __future__ import annotations

import base64
import contextlib
import re
import secrets
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec

from sectax.experiments.on_lambda import LOCAL_ROLE
from sectax.experiments.on_lambda.code import read_code
from sectax.experiments.on_lambda.failures import UnexpectedAnswer, reading_answer
from sectax.experiments.on_lambda.services import LambdaService
from sectax.model.subject import Witnesses
from sectax.parts.machine import architecture

_LONGEST_NAME = 64

_Whole = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class _Layer(msgspec.Struct, rename="pascal"):
    arn: str


class _RuntimeVersion(msgspec.Struct, rename="pascal", frozen=True):
    runtime_version_arn: str = ""


class _Configuration(msgspec.Struct, rename="pascal"):
    memory_size: _Whole
    timeout: _Whole
    runtime: str
    handler: str
    code_sha256: str
    architectures: list[str] = []
    layers: list[_Layer] = []
    runtime_version_config: _RuntimeVersion = _RuntimeVersion()


@dataclass(frozen=True)
class DeployedSpec:
    """A function to deploy, and the service to deploy it to.

    Attributes:
        service: the Lambda; must be open while the subject exists.
        name: name of the treatment, for messages and the function's name.
        code: path of a zip, or of a folder to pack.
        runtime, handler, memory_mb, timeout_s: as in CreateFunction; MB and whole seconds.
        environment: variables; may contain secrets, so they are never shown.
        layers: paths of zips or folders, published once per service, or ARNs of layer versions.
        role: ARN of the execution role; the local Lambda accepts any.
        deadline_s: seconds that a call may take in addition to `timeout_s`.
    """

    name: str
    code: str
    runtime: str
    handler: str
    memory_mb: int = 1769
    timeout_s: int = 60
    environment: dict[str, str] = field(default_factory=dict, repr=False)
    layers: tuple[str, ...] = ()
    role: str = LOCAL_ROLE
    deadline_s: float = 30.0
    service: LambdaService = field(kw_only=True, repr=False)


class Deployment:
    """A deployed function. Methods may raise `failures.ServiceTrouble`."""

    def __init__(self, spec: DeployedSpec) -> None:
        word = re.sub(r"[^A-Za-z0-9_-]", "-", spec.name)
        self.name = f"sectax-{word[: _LONGEST_NAME - 20]}-{secrets.token_hex(6)}"
        self._spec = spec
        self._client = spec.service.client(spec.timeout_s + spec.deadline_s)
        self._created = False

    def create(self) -> Witnesses:
        """Deploy it and wait until it can be invoked.

        Returns:
            From GetFunctionConfiguration: memory_mb, timeout_s, runtime, runtime_version (if known), handler,
            architecture, code_sha256, layers.
        """
        spec, client = self._spec, self._client
        more: dict[str, Any] = {"Environment": {"Variables": spec.environment}} if spec.environment else {}
        if spec.layers:
            more["Layers"] = [spec.service.layer(client, layer) for layer in spec.layers]
        archive = read_code(spec.code)
        self._created = True  # a call without an answer may have created it
        with reading_answer("CreateFunction"):
            client.create_function(
                FunctionName=self.name,
                Runtime=spec.runtime,
                Handler=spec.handler,
                Role=spec.role,
                Code={"ZipFile": archive},
                MemorySize=spec.memory_mb,
                Timeout=spec.timeout_s,
                # The code was built for this machine.
                Architectures=[architecture()],
                Description="deployed by sectax for a measurement; may be deleted",
                **more,
            )
        configuration = self._configuration()
        if configuration.get("State") != "Active":
            with reading_answer("GetFunction"):
                client.get_waiter("function_active_v2").wait(FunctionName=self.name)
            configuration = self._configuration()
        return _witnesses(configuration)

    def invoke(self, event: bytes) -> tuple[dict[str, Any], str]:
        """Invoke it once; return boto3's answer and the payload as text."""
        with reading_answer("Invoke"):
            answer: dict[str, Any] = self._client.invoke(FunctionName=self.name, LogType="Tail", Payload=event)
            payload = answer["Payload"].read().decode(errors="replace")  # first: an unread body leaves a socket open
            base64.b64decode(answer.get("LogResult", ""))  # fails here if it is invalid
            return answer, payload

    def delete(self) -> None:
        """Delete it if it was created."""
        if self._created:
            with reading_answer("DeleteFunction"):
                self._client.delete_function(FunctionName=self.name)
            self._created = False

    def abandon(self) -> None:
        """Delete it without raising."""
        with contextlib.suppress(Exception):
            self.delete()

    def _configuration(self) -> dict[str, Any]:
        with reading_answer("GetFunctionConfiguration"):
            configuration: dict[str, Any] = self._client.get_function_configuration(FunctionName=self.name)
            return configuration


def _witnesses(answer: dict[str, Any]) -> Witnesses:
    try:
        read = msgspec.convert(answer, _Configuration)
    except msgspec.ValidationError as error:
        raise UnexpectedAnswer("GetFunctionConfiguration", str(error)) from error
    reported: Witnesses = {
        "memory_mb": read.memory_size,
        "timeout_s": read.timeout,
        "runtime": read.runtime,
        "handler": read.handler,
        "architecture": ", ".join(read.architectures),
        "code_sha256": read.code_sha256,
        "layers": ", ".join(layer.arn for layer in read.layers),
    }
    version = read.runtime_version_config.runtime_version_arn
    return reported | {"runtime_version": version} if version else reported
