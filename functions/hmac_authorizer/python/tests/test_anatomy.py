"""With ANATOMY=1 the answer says how many nanoseconds each step took; without, nothing of it is there."""

from __future__ import annotations

import base64

import msgpack
import pytest

from tests.invoke import GENUINE, invoke, signed

LARGE = signed(base64.b64encode(msgpack.packb({"a": 1, "b": 2, "obj": bytes(10**6)})).decode())
FORM = {"fields_ns", "utf8_ns"}
CHECK = {"derive_ns", "mac_ns", "compare_ns"}
WHOLE = {"whole_ns", "whole_cpu_ns"}
WHOLE_CHECK = {"check_ns", "check_cpu_ns"}
UNPACKING = {"base64_ns", "messagepack_ns"}


@pytest.mark.parametrize(
    ("environment", "steps"),
    [
        ({}, FORM | CHECK | UNPACKING),
        ({"PAYLOAD": "opaque"}, FORM | CHECK),
        ({"TREATMENT": "none"}, FORM | UNPACKING),
        ({"TREATMENT": "none", "PAYLOAD": "opaque"}, FORM),
    ],
)
def test_the_steps_of_the_treatment_are_timed_and_no_others(environment: dict[str, str], steps: set[str]) -> None:
    anatomy = invoke(LARGE, ANATOMY="1", **environment)["anatomy"]

    assert anatomy.keys() == steps | WHOLE | (WHOLE_CHECK if steps >= CHECK else set())
    assert all(isinstance(took, int) and took >= 0 for took in anatomy.values())
    assert sum(anatomy[step] for step in steps) <= anatomy["whole_ns"]
    assert sum(anatomy.get(step, 0) for step in CHECK) <= anatomy.get("check_ns", 0)
    assert anatomy.get("check_cpu_ns", 0) <= anatomy["whole_cpu_ns"]


def test_the_steps_that_touch_the_data_are_seen_to_take_time() -> None:
    anatomy = invoke(LARGE, ANATOMY="1")["anatomy"]

    # No machine hashes or decodes a megabyte between two readings of the clock.
    assert min(anatomy["mac_ns"], anatomy["base64_ns"], anatomy["derive_ns"]) > 0
    assert min(anatomy["check_cpu_ns"], anatomy["whole_cpu_ns"] - anatomy["check_cpu_ns"]) > 0


def test_a_refused_event_has_no_anatomy_and_neither_has_the_plain_function() -> None:
    assert "anatomy" not in invoke(LARGE | {"token": "0" * 128}, ANATOMY="1")
    assert invoke(LARGE) == GENUINE
