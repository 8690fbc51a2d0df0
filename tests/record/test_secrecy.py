"""Secrets are not written to run files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sectax.model.environment import Environment
from sectax.model.trial import Closed, Dropped, Opened, State
from sectax.record.errors import SecretRefused
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, create, plan, planned_block, read

BODY = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg"
KINDS = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
KEYS = [f"-----BEGIN {kind}-----\n{BODY}\n-----END {kind}-----\n" for kind in [*KINDS, "PGP PRIVATE KEY BLOCK"]]


@pytest.mark.parametrize("key", KEYS)
def test_option_with_a_private_key_is_rejected(path, key):
    with pytest.raises(SecretRefused, match="option key"):
        RunWriter.create(path, plan(options={"key": ("a", f"x{key}")}), ENVIRONMENT, "00000000000000a1")
    assert not path.exists()


@pytest.mark.parametrize(
    ("recorded", "environment", "where"),
    [
        (replace(plan(), choices=(KEYS[0],)), ENVIRONMENT, "plan"),
        (plan(), Environment({"SIGNING_KEY": KEYS[0]}), "SIGNING_KEY"),
    ],
)
def test_plan_or_environment_with_a_private_key_is_rejected(path, recorded, environment, where):
    with pytest.raises(SecretRefused, match=where):
        RunWriter.create(path, recorded, environment, "00000000000000a1")
    assert not path.exists()


@pytest.mark.parametrize("key", KEYS)
def test_witness_with_a_private_key_is_rejected(path, key):
    with create(path) as writer:
        writer.begin_block(planned_block(plan(), 1))
        for event in (Opened("sign/RS256", {"pem": key}, (), 0.1), Closed("sign/RS256", {"pem": key})):
            with pytest.raises(SecretRefused, match="sign/RS256"):
                writer.event(1, event)
        writer.finish_block(1, 1.0)

    assert BODY.encode() not in path.read_bytes()


@pytest.mark.parametrize("key", [*KEYS, KEYS[0][:60]])
def test_private_key_in_stderr_is_removed(path, key):
    with create(path) as writer:
        writer.note(f"the probe said: {key} and died")
        writer.begin_block(planned_block(plan(), 1))
        writer.event(1, Dropped("sign/RS256", State.FAILED, "open", f"cannot parse {key}", f"what is {key}?"))
        writer.finish_block(1, 1.0)
        writer.finish("finished")

    measured = read(path)
    assert measured == writer.measured()
    assert measured.failures[0].reason.startswith("cannot parse [private key left out]")
    assert measured.notes[0].startswith("the probe said: [private key left out]")
    assert BODY.encode() not in path.read_bytes()


def test_public_keys_and_certificates_may_be_shown(path):
    public = "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----"
    with RunWriter.create(path, plan(options={"key": (public,)}), ENVIRONMENT, "00000000000000a1") as writer:
        writer.event(0, Opened("sign/RS256", {"pem": public}, (), 0.1))
