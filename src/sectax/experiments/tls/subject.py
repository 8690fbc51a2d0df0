"""Subject of one TLS setup, measured through shared client and server processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from sectax.experiments.client_server.client import ClientFailure
from sectax.experiments.client_server.subject import ClientSubject
from sectax.experiments.tls import wire
from sectax.experiments.tls.certificates import NAME, Authority, certificate_level
from sectax.experiments.tls.ends import MEANINGS, UNSUPPORTED, ConnectionFacts, EndConnected, Ends
from sectax.experiments.tls.levels import LIBRARY_LEVELS, MTLS, NO_TLS, NONE, ON, Setup
from sectax.model.errors import SubjectSkipped
from sectax.model.subject import Observation, Visit, Witnesses
from sectax.text.printable import printable

REQUEST_BYTES, ANSWER_BYTES = 128, 1024
# Requests of a visit over the open connection, after an uncounted one.
REQUESTS = 16
# Connections of a batch: fewer give fewer observations in the same time, and none better (docs/tls.md).
TURN = 4
_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class TlsSpec:
    """One treatment of the experiment `tls`.

    Attributes:
        delay_s: added round-trip time.
        added_s: known cost that the client adds to every new connection.
    """

    arm: str
    library: str
    setup: Setup
    ends: Ends = field(repr=False, compare=False)
    authority: Authority | None = field(repr=False)
    delay_s: float = 0.0
    added_s: float = 0.0

    @property
    def fewest(self) -> int:
        return 1 if self.delay_s else TURN

    @property
    def requests(self) -> int:
        return 2 if self.delay_s else REQUESTS

    def subject(self) -> TlsSubject:
        return TlsSubject(self)

    def wanted(self, of_client: bool) -> dict[str, object]:
        """Parameters of one end, as in its protocol."""
        setup, certificates = self.setup, self.authority
        secrets = {"certificates": "", "key": "", "roots": ""}
        if certificates is not None:
            pair = certificates.client if of_client else certificates.server
            if not of_client or setup.client_certificate == MTLS:
                secrets |= {"certificates": pair.certificates, "key": pair.key}
            if of_client or setup.client_certificate == MTLS:
                secrets["roots"] = certificates.root
        return secrets | {
            "protocol": setup.protocol,
            "group": setup.group,
            "name": NAME,
            "resumption": setup.resumption == ON,
            "request_bytes": REQUEST_BYTES,
            "answer_bytes": ANSWER_BYTES,
            "timeout_ns": round(_TIMEOUT_S * 1e9),
        }


class TlsSubject(ClientSubject):
    """Implements `sectax.model.subject.Subject` for an arm."""

    whose, meanings = "the client or the server", MEANINGS

    def __init__(self, spec: TlsSpec) -> None:
        super().__init__()
        self._spec = spec

    def start(self) -> None:
        with self._readable_errors("start"):
            self._spec.ends.join(self._spec.arm)

    def open(self) -> Witnesses:
        """Connect for the first time, and check the parameters agreed on.

        Returns:
            protocol, group, cipher, certificate, client_certificate and resumed, as seen by both ends; group_on_wire,
            key_share_bytes and hello_retry, read from the bytes; library, library_version, clock.
        Raises:
            SubjectSkipped: not supported by the library.
            SubjectFailed: the handshake failed, or the ends disagree.
        """
        self.start()
        spec = self._spec
        with self._readable_errors("open"):
            port = spec.ends.listen(spec.arm, spec.wanted(of_client=False))
            opened = spec.ends.open(spec.arm, port, spec.wanted(of_client=True), _TIMEOUT_S * 8)
            hello, tally = spec.ends.hello(), spec.ends.tally(spec.arm)
        witnesses: Witnesses = {"protocol": NO_TLS}
        if spec.setup.is_tls:
            if (differs := _differs(opened.seen, tally.seen)) or not tally.alike:
                raise self._failure(f"client and server saw different {differs or 'connections'}", "report it")
            witnesses = _agreed(opened.seen, tally.seen)
            try:
                witnesses |= wire.witnesses(opened.wrote, opened.read)
            except (wire.NotTls, StopIteration) as error:
                raise self._failure(f"what the client sent is not TLS: {error}", "report it") from error
        clock = self._begin_visits(hello.clock, spec.ends.client.telemetry())
        library = LIBRARY_LEVELS.get(hello.library.partition(" ")[0], hello.library)
        return witnesses | {"library": library, "library_version": hello.library} | clock

    def _measure(self, count: int) -> Visit:
        """Measure new connections, and requests over an open one.

        Observations: `new_connection`, `handshake` and `connect`, one per connection; `request`; CPU time of both
        processes, and bytes each way on the client's socket, per connection and per request.
        """
        requests = self._spec.requests
        batch, _, telemetry = self._watched(lambda: self._batch(count, requests))
        observed = self._times("new_connection", batch.first_byte_ns) + self._times("handshake", batch.handshake_ns)
        observed += self._times("connect", batch.connect_ns)
        observed.append(Observation("request", batch.requests_ns * 1e-9, "s", self._clock, requests))
        for name, nanoseconds, share in (
            ("client_cpu", batch.client_cpu_ns, count),
            ("server_cpu", batch.server_cpu_ns, count),
            ("request_client_cpu", batch.requests_client_cpu_ns, requests),
            ("request_server_cpu", batch.requests_server_cpu_ns, requests),
        ):
            observed.append(Observation(name, nanoseconds * 1e-9, "s", "process CPU time", share))
        for name, number, share in (
            ("sent_bytes", batch.handshake_sent_bytes, count),
            ("received_bytes", batch.handshake_received_bytes, count),
            ("request_sent_bytes", batch.requests_sent_bytes, requests),
            ("request_received_bytes", batch.requests_received_bytes, requests),
        ):
            observed.append(Observation(name, float(number), "B", "client", share))
        return Visit(tuple(observed), telemetry)

    def close(self) -> Witnesses:
        """Release the arm; both ends must have counted the same handshakes."""
        self._stage = "close"
        spec = self._spec
        with self._readable_errors("close"):
            tally = spec.ends.tally(spec.arm)
            closed = spec.ends.close(spec.arm)
        if (tally.handshakes, tally.resumed) != (closed.handshakes, closed.resumed):
            client = f"the client counted {closed.handshakes} connections, {closed.resumed} of them resumed"
            raise self._failure(f"{client}; the server {tally.handshakes} and {tally.resumed}", "report it")
        self.kill()
        return {"handshakes": closed.handshakes, "handshakes_resumed": closed.resumed}

    def _leave(self) -> None:
        self._spec.ends.leave(self._spec.arm)

    def _batch(self, count: int, requests: int = 1) -> EndConnected:
        spec = self._spec
        # No handshake has more than ten round trips.
        longest_s = _TIMEOUT_S + (count + requests) * 10 * (spec.delay_s + 0.1)
        with self._readable_errors("measure"):
            batch = spec.ends.measure(spec.arm, count, requests, round(spec.added_s * 1e9), longest_s)
        times = (batch.first_byte_ns, batch.connect_ns, batch.handshake_ns)
        expected = (count, count, count if spec.setup.is_tls else 0)
        if tuple(map(len, times)) != expected or sum(batch.first_byte_ns) > batch.wall_ns:
            raise self._failure("the client reported impossible times", "report it")
        return batch

    def _title(self) -> str:
        return f"tls ({self._spec.library}, {self._spec.setup.name})"

    def _skipped(self, error: ClientFailure) -> SubjectSkipped | None:
        reason = printable(f"{self._title()}: {error.reason}")
        return SubjectSkipped(reason) if error.kind == UNSUPPORTED else None


def _differs(client: ConnectionFacts, server: ConnectionFacts) -> str:
    """First fact on which the ends disagree; empty for none."""
    shared = ("protocol", "group", "cipher", "resumed")
    return next((name for name in shared if getattr(client, name) != getattr(server, name)), "")


def _agreed(client: ConnectionFacts, server: ConnectionFacts) -> Witnesses:
    cipher = client.cipher.upper().replace("-", "_")
    return {
        "protocol": client.protocol,
        "group": client.group,
        "cipher": "AES-128-GCM" if "AES_128_GCM" in cipher or "AES128_GCM" in cipher else client.cipher,
        "certificate": certificate_level(client.certificate) if client.certificate else NONE,
        "chain": client.chain,
        "client_certificate": MTLS if server.certificate else NONE,
        "resumed": client.resumed,
    }
