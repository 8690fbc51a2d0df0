"""Checks the attestation reports that a run holds: are they genuine, and were they made for its plan?"""

from __future__ import annotations

import base64
import binascii
import datetime
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from sectax.experiments.confidential.attestation.ask import CERTIFICATES, MISSING, PROVIDER, REPORT, nonce_of
from sectax.experiments.confidential.attestation.chain import NotGenuine
from sectax.experiments.confidential.attestation.report import Attested, verify
from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import WrongUse
from sectax.record.reader import RunReader
from sectax.text.printable import printable


class Checked(msgspec.Struct, frozen=True):
    """What a host gave in one session. `words` says what it is, or what is wrong with it."""

    host: str
    session: int
    genuine: bool
    words: str


class Attestations(msgspec.Struct, frozen=True, tag_field="schema", tag="sectax/attest/1"):
    """The attestation reports of a run's hosts, and whether they are genuine and were made for its plan."""

    hosts: tuple[Checked, ...]


def attested(run_file: Path, certificates: Path | None = None, *, when: datetime.datetime) -> Attestations:
    """The reports of all hosts in all sessions.

    Args:
        certificates: a PEM file with those of a host that gave none with its report, the signing key's first.
        when: the certificates must be valid then.
    Raises:
        WrongUse: the file of certificates cannot be read.
        SectaxError: the run file cannot be read.
    """
    chain = b"" if certificates is None else _read(certificates)
    with RunReader.open(run_file) as reader:
        plan, sessions = reader.plan(), reader.sessions()
    verified = partial(verify, nonce=nonce_of(plan), certificates=chain, when=when)
    return Attestations(
        tuple(
            Checked(name, number, *judgement)
            for number, session in enumerate(sessions, 1)
            for name, environment in {LOCAL_HOST: session, **session.hosts}.items()
            for judgement in _judgements(environment, verified)
        )
    )


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WrongUse(
            f"--certificates {file} cannot be read: {error.strerror}", "name a file in PEM or DER"
        ) from error


def _judgements(environment: Environment, verified: Callable[..., Attested]) -> Iterator[tuple[bool, str]]:
    """Whether what a host gave is genuine, and the words."""
    circumstances = environment.circumstances
    if MISSING in circumstances:
        yield False, f"it gave no report: {printable(circumstances[MISSING], 200)}"
    if REPORT not in circumstances:
        return
    try:
        report, table = (
            base64.b64decode(circumstances.get(name, ""), validate=True) for name in (REPORT, CERTIFICATES)
        )
        attested = verified(circumstances.get(PROVIDER, ""), report, table=table)
    except (NotGenuine, binascii.Error) as error:
        yield False, printable(str(error), 300)
        return
    reported = environment.identity.get("host.memory_encryption")
    if reported not in (None, attested.technology):
        yield False, f"its report is of {attested.technology}, and it said {printable(reported or '')}"
        return
    guest = f"a guest of {attested.technology}, by {attested.root}, made for this run's plan"
    yield True, f"{guest}; revocation was not checked; its measurement is {attested.measurement}"
