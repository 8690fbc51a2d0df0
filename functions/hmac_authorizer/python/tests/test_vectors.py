"""The vectors that the function is held to in every language."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from hmac_authorizer.scheme import SCHEMES
from tests.invoke import VECTORS, invoke


def name(case: dict[str, Any]) -> str:
    return str(case.get("name") or f"{case['treatment']}: {case['source']}")


@pytest.mark.parametrize("vector", VECTORS["macs"], ids=name)
def test_the_macs_are_those_of_the_standards(vector: dict[str, str]) -> None:
    scheme = SCHEMES[vector["treatment"]](b"-")

    mac = scheme.mac(bytes.fromhex(vector["key"]), bytes.fromhex(vector["data"]))

    assert mac in (vector["mac"].encode(), bytes.fromhex(vector["mac"]))
    assert scheme.matches(vector["mac"], mac)


@pytest.mark.parametrize("vector", VECTORS["published"], ids=lambda vector: str(vector["data"]))
def test_the_published_tokens_are_genuine(vector: dict[str, str]) -> None:
    event = {"key": vector["salt"], "token": vector["token"], "data": vector["data"]}

    assert invoke(event, SHARED_KEY=vector["shared_key"], PAYLOAD="opaque") == {"isAuthorized": True}


@pytest.mark.parametrize("case", VECTORS["cases"], ids=name)
def test_every_event_has_its_answer(case: dict[str, Any]) -> None:
    assert invoke(case["event"], **case["environment"]) == case["answer"]


@pytest.mark.parametrize("case", VECTORS["cases"], ids=name)
def test_with_a_clock_between_the_steps_the_answer_is_the_same(case: dict[str, Any]) -> None:
    answer = invoke(case["event"], **case["environment"], ANATOMY="1")
    answer.pop("anatomy", None)

    assert answer == case["answer"]


def test_the_vectors_are_what_the_standard_library_alone_makes_of_them() -> None:
    made = subprocess.run([sys.executable, "-m", "tests.make_vectors"], capture_output=True, text=True, check=True)

    assert json.loads(made.stdout) == VECTORS
