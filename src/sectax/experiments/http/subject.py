"""Subject of one service, measured through a shared client process."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

from sectax.experiments.client_server.client import ClientFailure, Overlap
from sectax.experiments.client_server.started_server import DYING_S, PORT, StartedServer
from sectax.experiments.client_server.subject import ClientSubject, SharesLoad
from sectax.experiments.http.addresses import url_secrets
from sectax.experiments.http.client import Sent, SharedClient
from sectax.experiments.http.failures import MEANINGS
from sectax.experiments.http.many_clients import ManyClients
from sectax.experiments.http.services import HttpService
from sectax.model.errors import SubjectSkipped
from sectax.model.subject import Observation, Visit, Witness, Witnesses
from sectax.text.printable import printable

# A longer body is considered endless.
MOST_BODY = 2**30


class FirstBody:
    """The first body of a session; all others must equal it."""

    def __init__(self) -> None:
        self._first: tuple[str, Witness, Witness] | None = None

    def differs(self, name: str, body: Witness, length: Witness) -> str | None:
        """Describe the difference of a service's body, or None."""
        if self._first is None:
            self._first = name, body, length
        first, expected, its_length = self._first
        if body == expected:
            return None
        return f"answers with a body of {length} bytes, and {first} with a different one of {its_length} bytes"


@dataclass(frozen=True)
class HttpSpec(SharesLoad):
    """One treatment of the experiment `http`.

    Attributes:
        headers, body: of every request, including those from files.
        kept: whether connections stay open.
        rate: requests per second on a schedule; 0 for a closed loop.
        mark: Base64 key of the bodies' hashes.
        added_s: known cost that the client adds to every request.
        server: the session's server; None without one, or if every opening starts its own.
        folder: working directory of an own server.
    """

    arm: str
    service: HttpService
    client: SharedClient | ManyClients = field(repr=False, compare=False)
    first_body: FirstBody = field(repr=False, compare=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    mark: str = field(repr=False)
    kept: bool
    http2: bool
    concurrency: int
    rate: float
    timeout_s: float
    bodies_differ: bool
    folder: str
    added_s: float = 0.0
    server: StartedServer | None = field(default=None, repr=False, compare=False)

    @property
    def clients(self) -> int:
        return len(self.client) if isinstance(self.client, ManyClients) else 1

    def subject(self) -> HttpSubject:
        return HttpSubject(self)


class HttpSubject(ClientSubject):
    """Implements `sectax.model.subject.Subject` for an arm."""

    meanings, other = MEANINGS, ("request failed", "try it with curl -v")

    def __init__(self, spec: HttpSpec) -> None:
        super().__init__(url_secrets(spec.service.url, spec.headers))
        self._spec = spec
        self._own_server: StartedServer | None = None
        self._overlap = Overlap(spec.clients)

    def start(self) -> None:
        """Start the client, and its own server if any, without waiting."""
        spec = self._spec
        if spec.service.start and spec.server is None and self._own_server is None:
            self._own_server = StartedServer(spec.service.name, spec.service.start, spec.folder)
            self._own_server.start()
        with self._readable_errors("start"):
            spec.client.join(spec.arm)

    def open(self) -> Witnesses:
        """Send the first request and check its answer.

        Returns:
            status, protocol, body_bytes, body (a keyed hash), TLS version and cipher, whether a client certificate
            was used, client, runtime, clock.
        Raises:
            SubjectSkipped: no HTTP/2.
            SubjectFailed: a wrong answer.
            ServerFailed: the run's own server ended.
        """
        self.start()
        spec = self._spec
        if self._own_server is not None:
            self._own_server.wait()
        elif spec.server is not None:
            spec.server.check()
        with self._readable_errors("open"):
            hello = spec.client.hello()
            opened = spec.client.open(spec.arm, self._client_request(), _warming_s(spec))
        witnesses: Witnesses = {name: self._safe(value) for name, value in opened.witnesses.items()}
        if not spec.bodies_differ and (
            differs := spec.first_body.differs(spec.service.name, witnesses["body"], witnesses["body_bytes"])
        ):
            raise self._failure(differs, "times of different work are not comparable; --bodies-differ accepts it")
        clock = self._begin_visits(hello.clock, spec.client.telemetry())
        return witnesses | {"client": hello.client, "runtime": hello.runtime} | clock

    def _measure(self, count: int) -> Visit:
        """Measure a batch.

        Observations: `latency` and `first_byte` per request; `turn`, the time of the batch (by Little's law if
        requests overlap: sum of times over mean number in flight); `client_cpu`; `sent_bytes` and `received_bytes`,
        with TLS and handshakes.
        """
        batch, telemetry = self._batch(count)
        spec, count = self._spec, len(batch.elapsed_ns)
        observed = self._times("latency", batch.elapsed_ns) + self._times("first_byte", batch.first_byte_ns)
        turn_ns = sum(batch.elapsed_ns) / batch.in_flight if spec.ramp else batch.wall_ns
        observed.append(Observation("turn", turn_ns * 1e-9, "s", self._clock, count))
        counted = count / (count + 2 * spec.ramp)
        for name, total, unit, source in (
            ("client_cpu", batch.cpu_ns * 1e-9, "s", "process CPU time"),
            ("sent_bytes", float(batch.sent_bytes), "B", "client"),
            ("received_bytes", float(batch.received_bytes), "B", "client"),
        ):
            observed.append(Observation(name, counted * total, unit, source, count))
        return Visit(tuple(observed), telemetry)

    def close(self) -> Witnesses:
        self._stage = "close"
        with self._readable_errors("close"):
            closed = self._spec.client.close(self._spec.arm)
        self.kill()
        return {"requests": closed.requests, "connections": closed.connections} | self._overlap.witnesses()

    def _leave(self) -> None:
        self._spec.client.leave(self._spec.arm)
        if self._own_server is not None:
            self._own_server.stop()
            self._own_server = None

    def _batch(self, count: int) -> tuple[Sent, dict[str, float]]:
        spec = self._spec
        total = count + 2 * spec.ramp
        # Every request may reach its limit, and those of one connection are sequential.
        longest_s = spec.timeout_s * 1.2 * -(-total // spec.concurrency) + (total / spec.rate if spec.rate else 0.0)
        with self._readable_errors("measure"):
            batch, spanned_s, telemetry = self._watched(
                lambda: spec.client.measure(spec.arm, total, spec.ramp, longest_s)
            )
        if (complaint := batch.complaint(count, spanned_s, spec.ramp)) is not None:
            raise self._failure(f"the client {complaint}", "report it")
        if spec.concurrency > 1 or spec.rate:
            telemetry |= batch.load(count, spec.rate, spec.concurrency)
        self._overlap.add(batch, spec.ramp)
        return batch, telemetry

    def _client_request(self) -> dict[str, object]:
        """The request `open` of the client's protocol."""
        spec = self._spec
        service, server = spec.service, self._own_server or spec.server
        return {
            "url": service.url if server is None else service.url.replace(PORT, str(server.port)),
            "method": service.method,
            "headers": spec.headers,
            "body": base64.b64encode(spec.body).decode(),
            "kept": spec.kept,
            "http2": spec.http2,
            "concurrency": spec.concurrency,
            "rate": spec.rate,
            "added_ns": round(spec.added_s * 1e9),
            "statuses": service.statuses,
            "ca": service.ca,
            "certificate": service.certificate,
            "key": service.key,
            "timeout_ns": round(spec.timeout_s * 1e9),
            "most_body": MOST_BODY,
            "bodies_vary": spec.bodies_differ,
            "mark": spec.mark,
        }

    def _title(self) -> str:
        return f"http ({self._spec.service.name}, {self._spec.service.method})"

    def _check_server(self) -> None:
        if (server := self._own_server or self._spec.server) is not None:
            server.check(DYING_S)

    def _skipped(self, error: ClientFailure) -> SubjectSkipped | None:
        reason = printable(f"{self._title()} does not speak HTTP/2")
        return SubjectSkipped(reason, "omit it with --level protocol=http1") if error.kind == "no-http2" else None


def _warming_s(spec: HttpSpec) -> float:
    """Time limit to open an arm: first request and warm-up on every connection."""
    return spec.timeout_s * 1.2 * (12 + spec.concurrency)
