"""Recorded conversations with a real probe: sectax would have said the same, and understands every answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sectax.protocol.messages import REPLIES, schemas
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped, ProbeSession

FOLDER = Path(__file__).parents[2] / "probes" / "transcripts"
TRANSCRIPTS = sorted(FOLDER.glob("*.jsonl"))
KINDS = {str(request.__struct_config__.tag): reply for request, reply in REPLIES.items()}


def exchanges(path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["from"] for line in lines] == ["sectax", "probe"] * (len(lines) // 2)
    return [(asked["line"], answered["line"]) for asked, answered in zip(lines[::2], lines[1::2], strict=True)]


def ask(session: ProbeSession, request: dict[str, Any]) -> bytes:
    methods: dict[str, Callable[..., bytes]] = {
        "hello": session.hello,
        "prepare": session.prepare,
        "witness": session.witness,
        "measure": session.measure,
        "stop": session.stop,
    }
    arguments = {name: value for name, value in request.items() if name not in ("seq", "command")}
    return methods[request["command"]](**arguments)


def test_there_are_transcripts() -> None:
    assert {path.stem for path in TRANSCRIPTS} >= {"empty", "sign", "verify", "refusals"}


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_session_says_and_understands_every_line(path: Path) -> None:
    session = ProbeSession()
    for request, answer in exchanges(path):
        assert json.loads(ask(session, request)) == request

        line = json.dumps(answer).encode() + b"\n"
        if answer["status"] == "ok":
            session.receive(line, KINDS[request["command"]])
        else:
            with pytest.raises((AnsweredFailed, AnsweredSkipped)):
                session.receive(line, KINDS[request["command"]])


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_line_keeps_to_its_schema(path: Path) -> None:
    for request, answer in exchanges(path):
        Draft202012Validator(schemas()[f"{request['command']}-request"]).validate(request)
        Draft202012Validator(schemas()[f"{request['command']}-reply"]).validate(answer)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_no_private_key_is_in_a_transcript(path: Path) -> None:
    assert "PRIVATE" not in path.read_text()
