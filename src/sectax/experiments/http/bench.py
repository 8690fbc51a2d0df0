"""Services and servers of a run, and a client for every cell."""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from sectax.experiments.client_server.load import client_count, target_rate
from sectax.experiments.client_server.started_server import WORK_FOLDERS, StartedServer
from sectax.experiments.client_server.work_folder import sweep
from sectax.experiments.http import parts
from sectax.experiments.http.client import SharedClient
from sectax.experiments.http.levels import CONTROL, HTTP2, KEPT
from sectax.experiments.http.many_clients import ManyClients
from sectax.experiments.http.services import HttpService, read_headers, read_services, revealed, timeout_s
from sectax.experiments.http.subject import FirstBody, HttpSpec
from sectax.experiments.interface import Bench
from sectax.experiments.named import FOLDER
from sectax.hosts.places import HERE
from sectax.model.errors import WrongUse
from sectax.model.plan import Calibrated, Plan
from sectax.model.treatment import Treatment

_MARK = "body_mark"


class HttpBench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._services = read_services(plan.options)
        self._folder = plan.options[FOLDER][0]
        self._clients: dict[str, SharedClient | ManyClients] = {}
        self._many = client_count(plan.options)
        self._servers: dict[str, StartedServer] = {}
        self._first_body = FirstBody()
        for service in self._services.values():
            _read(service)

    def identity(self) -> dict[str, str]:
        program = {"http.client": parts.client().path.parent.name}
        return program | {
            f"http.{name}.{option}": _version(path)
            for name, service in self._services.items()
            for option, path in service.files().items()
        }

    def inputs(self) -> dict[str, str]:
        """A key for the hashes of bodies."""
        return {_MARK: base64.b64encode(secrets.token_bytes(32)).decode()}

    def start(self, inputs: Mapping[str, str]) -> None:
        """Restore the secrets, and start the servers of --start."""
        self._services = read_services(revealed(self.plan.options, inputs))
        started = [service.name for service in self._services.values() if service.start]
        if started and not all(place.is_here for place in self.places):
            reason = f"the server of {started[0]} listens on this machine only, and there are clients on others"
            raise WrongUse(reason, "give the URL of a server that all of them reach instead of --start")
        sweep(WORK_FOLDERS)
        if self.plan.options.get("fresh"):
            return
        for name, service in self._services.items():
            if service.start:
                server = StartedServer(name, service.start, self._folder)
                self.callback(server.stop)
                server.start()
                self._servers[name] = server
        for server in self._servers.values():
            server.wait()

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> HttpSpec:
        levels = treatment.levels
        service = self._services[levels[CONTROL]]
        headers, body = _read(service)
        return HttpSpec(
            arm=treatment.id,
            service=service,
            headers=(*service.headers, *headers),
            body=body,
            client=self._clients.setdefault(treatment.cell, self._client()),
            kept=levels["connection"] == KEPT,
            http2=levels["protocol"] == HTTP2,
            concurrency=int(levels["concurrency"]),
            rate=target_rate(levels["load"]),
            timeout_s=timeout_s(self.plan.options),
            mark=inputs[_MARK],
            bodies_differ=bool(self.plan.options.get("bodies-differ")),
            first_body=self._first_body,
            added_s=self.plan.added_s(treatment, calibrated),
            server=self._servers.get(service.name),
            folder=self._folder,
        )

    def _client(self) -> SharedClient | ManyClients:
        program = str(parts.client().path)
        return ManyClients(program, self.places or (HERE,) * self._many) if self._many > 1 else SharedClient(program)


def _read(service: HttpService) -> tuple[tuple[tuple[str, str], ...], bytes]:
    """Headers and body of a service, and its TLS files. Raises `WrongUse`."""
    contents: dict[str, bytes] = {}
    for option, path in service.files().items():
        try:
            contents[option] = Path(path).read_bytes()
        except OSError as error:
            raise WrongUse(f"--{option}: {path} cannot be read: {error.strerror}", "check the path") from error
    for option, path in (("ca", service.ca), ("cert", service.certificate)):
        if path and b"-----BEGIN CERTIFICATE-----" not in contents[option]:
            raise WrongUse(f"--{option} {path} does not contain a certificate", "give a PEM file")
    if service.key and b"PRIVATE KEY-----" not in contents["key"]:
        raise WrongUse(f"--key {service.key} does not contain a private key", "give a PEM file")
    if b"ENCRYPTED" in contents.get("key", b""):
        raise WrongUse(f"--key {service.key} has a passphrase", "remove it with openssl pkey -in KEY -out FILE")
    headers = tuple(header for path in service.header_files for header in read_headers(path))
    return headers, contents.get("body", b"")


def _version(path: str) -> str:
    """Size and time of a file; a hash would give away a short secret."""
    status = os.stat(path)
    return f"{path} {status.st_size} bytes, changed {status.st_mtime_ns} ns after 1970"
