"""The session sends what the protocol says, and believes only replies that keep to it."""

from __future__ import annotations

import json

import pytest

from sectax.protocol.messages import (
    MAX_LINE_BYTES,
    HelloReply,
    MeasureReply,
    PrepareReply,
    StopReply,
    WitnessReply,
)
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped, ProbeSession, ProtocolViolation, ReplyRule

HELLO = {
    "protocol": 1,
    "probe": {"name": "fake", "version": "1"},
    "runtime": {"name": "C", "version": "23"},
    "operations": [{"name": "empty"}],
    "clock": {"name": "monotonic", "granularity_ns": 1, "read_ns": 0},
}


def reply(seq: int = 1, status: str = "ok", **members: object) -> bytes:
    return json.dumps({"seq": seq, "status": status} | members).encode() + b"\n"


def test_a_request_is_one_line_with_every_member() -> None:
    line = ProbeSession().measure(33, settle=7)

    assert line.endswith(b"}\n")
    assert json.loads(line) == {"seq": 1, "command": "measure", "count": 33, "settle": 7, "each": False}


def test_every_request_has_a_larger_seq() -> None:
    session = ProbeSession()

    assert [json.loads(line)["seq"] for line in (session.hello(), session.measure(1), session.stop())] == [1, 2, 3]


def test_a_good_hello_is_understood() -> None:
    session = ProbeSession()
    session.hello()

    hello = session.receive(reply(**HELLO), HelloReply)

    assert hello.clock.granularity_ns == 1
    assert hello.libraries == []


def test_unknown_members_are_ignored() -> None:
    session = ProbeSession()
    session.stop()

    assert session.receive(reply(colour={"deep": [1, None]}), StopReply).seq == 1


def test_a_reply_answers_only_once() -> None:
    session = ProbeSession()
    session.stop()
    session.receive(reply(), StopReply)

    with pytest.raises(RuntimeError, match="StopReply"):
        session.receive(reply(), StopReply)


@pytest.mark.parametrize("status", ["skipped", "failed"])
def test_a_refusal_answers_the_request_too(status: str) -> None:
    session = ProbeSession()
    session.stop()
    with pytest.raises((AnsweredSkipped, AnsweredFailed)):
        session.receive(reply(status=status, reason="not today"), StopReply)

    with pytest.raises(RuntimeError):
        session.receive(reply(), StopReply)


def test_asking_for_another_kind_of_reply_is_the_callers_fault() -> None:
    session = ProbeSession()
    session.measure(1)

    with pytest.raises(RuntimeError):
        session.receive(reply(), StopReply)


def test_skipped_carries_reason_and_hint() -> None:
    session = ProbeSession()
    session.prepare("sign", {}, {})

    with pytest.raises(AnsweredSkipped) as caught:
        session.receive(reply(status="skipped", reason="no sodium", hint="apt install php-sodium"), PrepareReply)
    assert (caught.value.reason, caught.value.hint) == ("no sodium", "apt install php-sodium")


def test_a_line_that_is_no_reply_leaves_the_request_open() -> None:
    session = ProbeSession()
    session.stop()
    for noise in (b"Warning: deprecated\n", reply(seq=99)):
        with pytest.raises(ProtocolViolation):
            session.receive(noise, StopReply)

    assert session.receive(reply(), StopReply)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (b"", ReplyRule.JSON_OBJECT),
        (b"PHP Warning: x\n", ReplyRule.JSON_OBJECT),
        (b"12\n", ReplyRule.JSON_OBJECT),
        (b"\xff\xfe\n", ReplyRule.JSON_OBJECT),
        (b'{"seq": 1, "status": "ok"', ReplyRule.JSON_OBJECT),
        (b'{"seq": 1, "status": "ok", "x": ' + b"[" * 100_000, ReplyRule.JSON_OBJECT),
        (b'{"status": "ok"}', ReplyRule.MEMBERS),
        (b'{"seq": "1", "status": "ok"}', ReplyRule.MEMBERS),
        (b'{"seq": 1, "status": "fine"}', ReplyRule.MEMBERS),
        (b'{"seq": 1, "status": "failed"}', ReplyRule.MEMBERS),
        (reply(seq=2, **HELLO), ReplyRule.SEQ),
        (reply(**HELLO | {"protocol": 2}), ReplyRule.VERSION),
        (reply(**HELLO | {"operations": [{"name": "sign"}]}), ReplyRule.EMPTY_OFFERED),
        (reply(**HELLO | {"clock": {"name": "c", "granularity_ns": 0, "read_ns": 0}}), ReplyRule.MEMBERS),
        (reply(**HELLO | {"clock": {"name": "c", "granularity_ns": 1, "read_ns": -1}}), ReplyRule.MEMBERS),
        (b" " * (MAX_LINE_BYTES + 1), ReplyRule.LINE_LENGTH),
    ],
)
def test_a_bad_reply_to_hello_breaks_a_named_rule(line: bytes, rule: ReplyRule) -> None:
    session = ProbeSession()
    session.hello()

    with pytest.raises(ProtocolViolation) as caught:
        session.receive(line, HelloReply)
    assert caught.value.rule is rule


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({"count": 2, "elapsed_ns": [5]}, ReplyRule.COUNTS),
        ({"count": 3, "elapsed_ns": [1, 2, 3]}, ReplyRule.COUNTS),
        ({"count": 3, "elapsed_ns": []}, ReplyRule.COUNTS),
        ({"count": 3, "elapsed_ns": [5], "failures": 4}, ReplyRule.COUNTS),
        ({"count": 3, "elapsed_ns": [-5]}, ReplyRule.MEMBERS),
        ({"count": 3, "elapsed_ns": [1.5]}, ReplyRule.MEMBERS),
        ({"count": 3, "elapsed_ns": [2**60]}, ReplyRule.MEMBERS),
        ({"count": 3, "elapsed_ns": [5], "failures": -1}, ReplyRule.MEMBERS),
        ({"count": 3, "elapsed_ns": [5], "bytes": -1}, ReplyRule.MEMBERS),
        ({"elapsed_ns": [5]}, ReplyRule.MEMBERS),
    ],
)
def test_a_measurement_that_cannot_be_is_refused(members: dict[str, object], rule: ReplyRule) -> None:
    session = ProbeSession()
    session.measure(3)

    with pytest.raises(ProtocolViolation) as caught:
        session.receive(reply(**members), MeasureReply)
    assert caught.value.rule is rule


def test_every_artefact_must_be_judged() -> None:
    session = ProbeSession()
    session.witness(["a", "b"])

    with pytest.raises(ProtocolViolation, match=r"\b2 .*\b1 "):
        session.receive(reply(accepted=[True]), WitnessReply)


def test_a_request_longer_than_a_line_may_be_is_not_sent() -> None:
    with pytest.raises(ValueError, match="at most"):
        ProbeSession().prepare("sign", {}, {"claims": "x" * MAX_LINE_BYTES})
