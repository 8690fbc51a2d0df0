"""The report as JSON, and the schema that documents it."""

from __future__ import annotations

import json as reader
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sectax.model.analysed import Analysed, RunReport
from sectax.model.finding import VerdictId
from sectax.model.treatment import CONTROLS
from sectax.reports import json
from tests.reports import situations
from tests.schemas import SCHEMAS, follows_its_schema


def written(analysed: Analysed, path: str = situations.PATH, trouble: str = "") -> bytes:
    return json.document(RunReport(analysed, path, trouble))


def document(situation: str) -> Any:
    return reader.loads(written(situations.ALL[situation]()))


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from objects(item)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item)


@pytest.mark.parametrize("situation", situations.ALL)
def test_document_follows_its_schema(situation: str) -> None:
    follows_its_schema(document(situation))


def test_document_is_as_agreed(golden) -> None:
    golden("json/signatures-in-php.json", written(situations.signatures_in_php()).decode())


def test_every_kind_of_verdict_is_in_the_document_by_its_identifier() -> None:
    analysed = situations.every_kind_of_verdict()
    compared = [finding for finding in analysed.findings if finding.comparison.standing not in CONTROLS]

    findings = document("every-kind-of-verdict")["findings"]

    assert [finding["verdict"]["id"] for finding in findings] == [finding.verdict.value for finding in compared]
    assert [finding["alpha"] for finding in findings] == [finding.comparison.alpha for finding in compared]


@pytest.mark.parametrize("situation", situations.ALL)
def test_every_null_has_its_reason_and_every_reason_its_null(situation: str) -> None:
    for node in objects(document(situation)):
        nulls = {name for name, value in node.items() if value is None}
        assert nulls == set(node.get("missing", {}))
        assert all(node.get("missing", {}).values())


def test_page_explains_every_verdict_and_every_member_of_the_document() -> None:
    page = (SCHEMAS.parent / "json.md").read_text()
    members = reader.loads((SCHEMAS / "report-2.json").read_text())["properties"]

    for name in (*members, *(verdict.value for verdict in VerdictId)):
        assert f"`{name}`" in page


def test_withdrawn_verdict_has_its_old_value_and_its_check() -> None:
    finding = next(finding for finding in document("verdict-withdrawn")["findings"] if finding["withheld"])

    assert finding["verdict"]["id"] == "withdrawn"
    assert finding["withheld"] == "faster-material"
    assert [warning["check"] for warning in finding["warnings"] if warning["severity"] == "F"] == ["mislabelled-level"]


def test_infinite_interval_is_null_and_not_a_number() -> None:
    effect = document("interrupted-after-four-blocks")["findings"][0]["effect"]

    assert effect["log_ratio_low"] is None
    assert effect["missing"]["log_ratio_low"]


def test_numbers_of_numpy_are_numbers() -> None:
    parsed = reader.loads(written(replace(situations.signatures_in_php(), wrong_expected=np.float64(0.4))))

    assert parsed["run"]["wrong_expected"] == 0.4


def test_path_that_is_not_utf8_does_not_break_the_document() -> None:
    parsed = reader.loads(written(situations.signatures_in_php(), "runs/\udcff.sectax"))

    assert parsed["run"]["path"] == r"runs/\udcff.sectax"


def test_host_name_and_options_are_not_in_the_document() -> None:
    assert b"bench-07" not in written(situations.signatures_in_php())
    assert b"localhost:8443" not in written(situations.two_commands())


def test_error_of_a_run_is_reported_or_null_with_its_reason() -> None:
    parsed = reader.loads(written(situations.signatures_in_php(), trouble="the disk is full"))

    follows_its_schema(parsed)
    assert parsed["run"]["trouble"] == "the disk is full"
    assert document("signatures-in-php")["run"]["missing"]["trouble"]


def test_what_the_pilot_skipped_is_skipped_with_its_levels() -> None:
    skipped = document("probe-failed-in-the-pilot")["skipped"]

    assert len(skipped) == 8  # the controls of the family too
    assert {treatment["levels"]["language"] for treatment in skipped} == {"python"}
    assert {treatment["levels"]["algorithm"] for treatment in skipped} == {"RS256", "ES256", "EdDSA"}
    assert {treatment["hint"] for treatment in skipped} == {"sectax setup jwt"}


def test_what_was_skipped_in_several_blocks_is_skipped_once() -> None:
    analysed = situations.probe_failed_in_the_pilot()
    again = tuple(replace(failure, block=4) for failure in analysed.measured.failures)
    measured = replace(analysed.measured, failures=(*analysed.measured.failures, *again))

    parsed = reader.loads(written(replace(analysed, measured=measured)))

    assert len(parsed["skipped"]) == 8
    assert len(parsed["failures"]) == 2 * len(again)


def test_known_cost_of_the_positive_control_is_reported() -> None:
    assert document("watched-by-the-kernel")["controls"][0]["known_cost"] == 38 / 960


def test_ratio_and_logarithm_agree() -> None:
    effects = [finding["effect"] for finding in document("every-kind-of-verdict")["findings"] if finding["effect"]]

    assert len(effects) > 10
    for effect in effects:
        assert math.isclose(math.log(effect["cost_ratio"]), effect["log_ratio"], abs_tol=1e-12)
