"""One deployed function, from CreateFunction to DeleteFunction."""

from __future__ import annotations

import contextlib
import platform
import re
import secrets
from typing import Any

from sectax.model.subject import Witnesses
from sectax.subjects.function.code import read_code
from sectax.subjects.function.services import Service
from sectax.subjects.function.spec import FunctionSpec

_ARCHITECTURES = {"aarch64": "arm64", "arm64": "arm64"}
_LONGEST_NAME = 64


class Deployment:
    """A function of a name of its own. Every method may raise what AWS's client raises."""

    def __init__(self, service: Service, spec: FunctionSpec) -> None:
        word = re.sub(r"[^A-Za-z0-9_-]", "-", spec.name)
        self.name = f"sectax-{word[: _LONGEST_NAME - 20]}-{secrets.token_hex(6)}"
        self._service = service
        self._spec = spec
        self._client = service.client(spec.timeout_s + spec.deadline_s)
        self._there = False

    def create(self) -> Witnesses:
        """Deploy it and wait until it can be invoked.

        Returns:
            What GetFunctionConfiguration then says: memory_mb, timeout_s, runtime, runtime_version (where it is
            told), handler, architecture, code_sha256, layers.
        """
        spec, client = self._spec, self._client
        more: dict[str, Any] = {"Environment": {"Variables": spec.environment}} if spec.environment else {}
        if spec.layers:
            more["Layers"] = [self._service.layer(client, each) for each in spec.layers]
        archive = read_code(spec.code)
        self._there = True  # a call that fails late may have made it all the same
        client.create_function(
            FunctionName=self.name,
            Runtime=spec.runtime,
            Handler=spec.handler,
            Role=spec.role,
            Code={"ZipFile": archive},
            MemorySize=spec.memory_mb,
            Timeout=spec.timeout_s,
            # What was built here runs on processors of this kind.
            Architectures=[_ARCHITECTURES.get(platform.machine(), "x86_64")],
            Description="deployed by sectax for a measurement; may be deleted",
            **more,
        )
        configuration = client.get_function_configuration(FunctionName=self.name)
        if configuration.get("State") != "Active":
            client.get_waiter("function_active_v2").wait(FunctionName=self.name)
            configuration = client.get_function_configuration(FunctionName=self.name)
        return _witnesses(configuration)

    def invoke(self, event: bytes) -> tuple[dict[str, Any], str]:
        """Invoke it once: boto3's answer, and its payload as text."""
        answer: dict[str, Any] = self._client.invoke(FunctionName=self.name, LogType="Tail", Payload=event)
        return answer, answer["Payload"].read().decode(errors="replace")

    def delete(self) -> None:
        """Delete it, where it is there."""
        if self._there:
            self._client.delete_function(FunctionName=self.name)
            self._there = False

    def abandon(self) -> None:
        """As `delete`; never raises."""
        with contextlib.suppress(Exception):
            self.delete()


def _witnesses(configuration: dict[str, Any]) -> Witnesses:
    told: Witnesses = {
        "memory_mb": configuration["MemorySize"],
        "timeout_s": configuration["Timeout"],
        "runtime": configuration["Runtime"],
        "handler": configuration["Handler"],
        "architecture": ", ".join(configuration.get("Architectures", [])),
        "code_sha256": configuration["CodeSha256"],
        "layers": ", ".join(layer["Arn"] for layer in configuration.get("Layers", [])),
    }
    version = configuration.get("RuntimeVersionConfig", {}).get("RuntimeVersionArn")
    return told | {"runtime_version": version} if version else told
