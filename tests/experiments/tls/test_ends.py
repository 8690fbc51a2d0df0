"""Both ends of every library: what they agree on, the bytes of it, and ends that are not well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sectax.analysis.findings import judge
from sectax.audit.checks.labels import mislabelled_level
from sectax.audit.own.evidence import RunEvidence
from sectax.experiments.client_server.client import ClientFailure
from sectax.experiments.tls import parts
from sectax.experiments.tls.certificates import Authority, authority, certificate_level
from sectax.experiments.tls.ends import MEANINGS, Ends
from sectax.experiments.tls.levels import ML_DSA, SHARES, Setup
from sectax.experiments.tls.subject import TlsSpec
from sectax.model.finding import Severity
from sectax.model.subject import Visit, Witnesses, Work
from tests.analysis.runs import around, run_of
from tests.experiments import subjects
from tests.experiments.subjects import answered, failure
from tests.fakes.listener import answering
from tests.needs import needs

GO, RUSTLS, OPENSSL = (
    pytest.param(name, marks=needs(f"the TLS ends of {name}")) for name in ("go", "rustls", "openssl")
)
ALL = pytest.mark.parametrize("library", [GO, RUSTLS, OPENSSL])
IN_GO = pytest.mark.parametrize("library", [GO])
HYBRID = Setup(group="X25519MLKEM768")


@pytest.fixture(scope="module")
def made() -> dict[str, Authority]:
    return {kind: authority(kind) for kind in ("P-256", "RSA-2048", "Ed25519", ML_DSA)}


@pytest.fixture
def ends(library: str) -> Iterator[Ends]:
    one = Ends(parts.command(library), os.sched_getaffinity(0))
    yield one
    one.leave("a")


def spec(ends: Ends, library: str, setup: Setup, by: Authority) -> TlsSpec:
    return TlsSpec("a", library, setup, ends, by if setup.is_tls else None)


def measured(
    ends: Ends, library: str, setup: Setup, by: Authority, count: int = 8
) -> tuple[Witnesses, Visit, Witnesses]:
    return subjects.measured(spec(ends, library, setup, by), Work(count=count, settle=1))


def each(visit: Visit, metric: str) -> float:
    seen = [one for one in visit.observations if one.metric == metric]
    return sum(one.value for one in seen) / sum(one.count for one in seen)


@ALL
@pytest.mark.parametrize(
    "setup",
    [
        *(Setup(group=group) for group in SHARES if group != "SecP384r1MLKEM1024"),
        *(Setup(certificate=kind) for kind in ("RSA-2048", "Ed25519")),
        Setup(protocol="tls12"),
        Setup(client_certificate="mtls"),
        Setup(resumption="on"),
        Setup(protocol="tls12", resumption="on"),
        Setup(protocol="none"),
    ],
    ids=lambda setup: setup.name,
)
def test_what_was_asked_for_is_what_both_ends_and_the_bytes_show(library, ends, setup, made) -> None:
    opened, visit, closed = measured(ends, library, setup, made[setup.certificate])

    promised = setup.declares(library)
    assert {name: opened.get(name) for name in promised} == promised
    full = int(closed["handshakes"]) - int(closed["handshakes_resumed"])
    assert full <= 2 if setup.resumption == "on" else closed["handshakes_resumed"] == 0
    assert each(visit, "new_connection") > 0
    assert each(visit, "server_cpu") > 0


@pytest.mark.parametrize("library", [RUSTLS, OPENSSL])
def test_certificates_of_ml_dsa_are_verified_too(library: str, ends: Ends, made: dict[str, Authority]) -> None:
    setup = Setup(certificate=ML_DSA, client_certificate="mtls")
    opened, visit, _ = measured(ends, library, setup, made[ML_DSA])

    assert opened["certificate"] == ML_DSA
    assert each(visit, "received_bytes") > 6000


@ALL
def test_a_hybrid_has_the_bytes_of_its_key_shares(library: str, ends: Ends, made: dict[str, Authority]) -> None:
    plain, hybrid = (measured(ends, library, setup, made["P-256"])[1] for setup in (Setup(), HYBRID))

    assert each(hybrid, "sent_bytes") - each(plain, "sent_bytes") == 1184
    # ECDSA signatures are some bytes longer or shorter than each other.
    assert each(hybrid, "received_bytes") - each(plain, "received_bytes") == pytest.approx(1088, abs=6)


@ALL
def test_an_intermediate_certificate_goes_over_the_wire(library: str, ends: Ends, made: dict[str, Authority]) -> None:
    longer = Setup(chain="intermediate", client_certificate="mtls")
    short = measured(ends, library, Setup(client_certificate="mtls"), made["P-256"])[1]
    opened, long, _ = measured(ends, library, longer, authority("P-256", "intermediate"))

    assert opened["chain"] == longer.declares(library)["chain"] == 2
    for way in ("sent_bytes", "received_bytes"):
        assert 300 < each(long, way) - each(short, way) < 700


@ALL
@pytest.mark.parametrize(
    ("wrong", "kinds"),
    [
        (lambda by: authority("P-256", ended=True), {"certificate-expired"}),
        (lambda by: authority("P-256", name="other.test"), {"certificate-name"}),
        (lambda by: by._replace(root=authority("P-256").root), {"certificate-untrusted", "certificate"}),
    ],
)
def test_a_certificate_that_is_not_right_is_a_failure_with_its_reason(library, ends, made, wrong, kinds) -> None:
    assert answered(failure(spec(ends, library, Setup(), wrong(made["P-256"]))), MEANINGS) in kinds


@IN_GO
def test_a_client_without_the_certificate_that_is_asked_for_fails(library, ends, made) -> None:
    own_spec = spec(ends, library, Setup(client_certificate="mtls"), made["P-256"])
    stranger = authority("P-256").client
    own = TlsSpec.wanted

    class Stranger(TlsSpec):
        def wanted(self, of_client: bool) -> dict[str, object]:
            shown = {"certificates": stranger.certificates, "key": stranger.key}
            return own(self, of_client) | (shown if of_client else {})

    assert answered(failure(Stranger(**vars(own_spec))), MEANINGS) == "client-certificate"


@ALL
@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        (lambda conn: None, {"closed"}),
        (lambda conn: conn.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"), {"not-tls", "tls"}),
        (lambda conn: conn.sendall(b"\x16\x03\x03\x40\x00" + bytes(0x4000)), {"tls", "closed", "not-tls"}),
        (lambda conn: conn.sendall(b"\x15\x03\x03\x00\x02\x02\x28"), {"tls"}),
    ],
    ids=["closes in the middle", "speaks HTTP", "sends nonsense", "refuses"],
)
def test_a_server_that_is_not_one_is_a_failure_with_its_kind(library, ends, made, answer, kinds) -> None:
    ends.join("a")
    with answering(answer) as port, pytest.raises(ClientFailure) as failed:
        ends.open("a", port, spec(ends, library, Setup(), made["P-256"]).wanted(of_client=True), 60.0)

    assert failed.value.kind in kinds


@IN_GO
def test_a_label_that_the_bytes_contradict_is_an_f(library: str, ends: Ends, made: dict[str, Authority]) -> None:
    opened, _, _ = measured(ends, library, Setup(), made["P-256"])
    seen = {name: (value,) for name, value in opened.items()}
    run = run_of({"baseline": around(1.0, 6), "t": around(1.0, 6, shift=1)})
    labels = {"baseline": Setup(), "t": HYBRID}
    treatments = tuple(replace(one, declares=labels[one.id].declares(library)) for one in run.plan.treatments)
    run = replace(run, plan=replace(run.plan, treatments=treatments), witnesses=dict.fromkeys(labels, seen))

    remarks = list(mislabelled_level.examine(RunEvidence(run, judge(run))))

    assert {remark.subject for remark in remarks if remark.severity is Severity.FATAL} == {"t"}
    assert any("key_share_bytes" in remark.saw and "1216 up, 1120 down" in remark.saw for remark in remarks)


@IN_GO
def test_the_ends_listen_on_loopback_alone(library: str, ends: Ends, made: dict[str, Authority]) -> None:
    ends.join("a")
    port = ends.listen("a", spec(ends, library, Setup(), made["P-256"]).wanted(of_client=False))
    with open("/proc/net/tcp") as table:
        local = [line.split()[1] for line in table if line.split()[3] == "0A"]

    assert [address for address in local if address.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


@pytest.mark.parametrize("kind", ["P-256", "RSA-2048", "Ed25519", ML_DSA])
def test_certificates_are_of_their_kind_and_their_keys_in_no_text(kind: str, made: dict[str, Authority]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    of = made[kind]
    leaf = x509.load_pem_x509_certificate(of.server.certificates.encode())

    assert certificate_level(leaf.public_bytes(Encoding.DER)) == kind
    assert "PRIVATE" not in repr(spec(Ends(("none",), ()), "go", replace(Setup(), certificate=kind), of))
