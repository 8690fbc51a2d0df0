"""Whatever comes from a probe, the session either understands it or says what is wrong with it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sectax.protocol.messages import REPLIES, HelloReply, MeasureReply, PrepareReply, Reply, StopReply, WitnessReply
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped, ProbeSession, ProtocolViolation
from sectax.text.printable import printable

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
members = st.sampled_from(sorted({name for kind in REPLIES.values() for name in kind.__struct_fields__} | {"reason"}))
near_replies = st.dictionaries(members, json_values, max_size=8).map(lambda found: {"seq": 1, "status": "ok"} | found)
lines = (
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | json_values.map(lambda value: json.dumps(value).encode())
    | near_replies.map(lambda value: json.dumps(value).encode())
)


def ask(session: ProbeSession, kind: type[Reply]) -> None:
    match kind.__name__:
        case "HelloReply":
            session.hello()
        case "PrepareReply":
            session.prepare("sign", {}, {})
        case "WitnessReply":
            session.witness(["a"])
        case "MeasureReply":
            session.measure(2)
        case "StopReply":
            session.stop()


@given(line=lines, kind=st.sampled_from(sorted(REPLIES.values(), key=lambda kind: kind.__name__)))
def test_any_bytes_are_a_reply_or_a_named_fault(line: bytes, kind: type[Reply]) -> None:
    session = ProbeSession()
    ask(session, kind)

    outcome: object
    try:
        outcome = session.receive(line, kind)
    except (ProtocolViolation, AnsweredSkipped, AnsweredFailed) as refusal:
        outcome = refusal

    if isinstance(outcome, ProtocolViolation):
        assert str(outcome).isprintable()
    else:
        assert isinstance(outcome, kind | AnsweredSkipped | AnsweredFailed)


@given(
    count=st.integers(1, 50),
    each=st.booleans(),
    elapsed=st.lists(st.integers(-1, 10**6), max_size=50),
    ran=st.integers(0, 50),
    failures=st.integers(-1, 51),
)
def test_a_measurement_is_believed_exactly_if_its_counts_agree(
    count: int, each: bool, elapsed: list[int], ran: int, failures: int
) -> None:
    session = ProbeSession()
    session.measure(count, each=each)
    line = json.dumps({"seq": 1, "status": "ok", "count": ran, "elapsed_ns": elapsed, "failures": failures}).encode()
    sound = (
        ran == count
        and len(elapsed) == (count if each else 1)
        and min(elapsed, default=0) >= 0
        and 0 <= failures <= count
    )

    try:
        session.receive(line, MeasureReply)
    except ProtocolViolation:
        believed = False
    else:
        believed = True

    assert believed is sound


@given(operation=st.text(), inputs=st.dictionaries(st.text(), st.text(), max_size=3))
def test_a_request_is_always_one_line_of_utf8(operation: str, inputs: dict[str, str]) -> None:
    try:
        line = ProbeSession().prepare(operation, {}, inputs)
    except UnicodeEncodeError:  # half a surrogate pair is no text, and never leaves sectax
        return

    assert line.count(b"\n") == 1
    assert json.loads(line)["inputs"] == inputs


@given(text=st.binary() | st.text(st.characters()), limit=st.none() | st.integers(1, 50))
def test_printable_text_holds_nothing_that_steers_a_terminal(text: bytes | str, limit: int | None) -> None:
    shown = printable(text, limit)

    assert shown.isprintable()
    assert limit is None or len(shown) <= limit + 1


@given(text=st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_printable_text_is_left_alone(text: str) -> None:
    assert printable(text) == text


def test_all_kinds_of_reply_are_tried() -> None:
    assert set(REPLIES.values()) == {HelloReply, PrepareReply, WitnessReply, MeasureReply, StopReply}
