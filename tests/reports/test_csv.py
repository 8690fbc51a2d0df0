"""The report as CSV."""

from __future__ import annotations

import csv as reader
import io
import math

import pytest

from sectax.reports import csv
from tests.reports import situations


def rows(situation: str, table: str) -> list[dict[str, str]]:
    text = csv.render(situations.ALL[situation](), table)
    return list(reader.DictReader(io.StringIO(text, newline="")))


OF_ONE_HOST = csv.available_tables(situations.signatures_in_php())


@pytest.mark.parametrize(
    ("situation", "table"),
    [
        *(("treatments-skipped", table) for table in OF_ONE_HOST),
        ("every-kind-of-verdict", "findings"),
        ("every-kind-of-verdict", "treatments"),
        ("three-hosts", "hosts"),
        ("six-hosts", "hosts"),
    ],
)
def test_table_is_as_agreed(situation: str, table: str, golden) -> None:
    golden(f"csv/{situation}.{table}.csv", csv.render(situations.ALL[situation](), table))


@pytest.mark.parametrize("situation", situations.ALL)
def test_every_finding_has_its_row_and_its_verdict(situation: str) -> None:
    analysed = situations.ALL[situation]()

    verdicts = [row["verdict"] for row in rows(situation, "findings")]
    assert verdicts == [finding.verdict.value for finding in analysed.findings]


def test_numbers_keep_all_their_digits_and_their_base_unit() -> None:
    row = rows("two-commands", "findings")[0]
    effect = situations.two_commands().findings[0].effect

    assert float(row["log_ratio"]) == effect.log_ratio
    assert float(row["cost_ratio"]) == math.exp(effect.log_ratio)
    assert row["absolute_unit"] == "s"


@pytest.mark.parametrize("situation", situations.ALL)
def test_missing_number_is_empty_with_its_reason_and_never_zero(situation: str) -> None:
    for row in rows(situation, "findings"):
        assert (row["cost_ratio_low"] == "") == (row["missing"] != "")
    for row in rows(situation, "treatments"):
        assert (row["low"] == "") == (row["missing"] != "")


@pytest.mark.parametrize("situation", situations.ALL)
def test_every_row_has_the_cells_of_its_head(situation: str) -> None:
    analysed = situations.ALL[situation]()
    for table in csv.available_tables(analysed):
        text = csv.render(analysed, table)

        assert len({len(row) for row in reader.reader(io.StringIO(text, newline=""))}) == 1


def test_finding_without_an_effect_keeps_its_reason_and_its_levels_in_their_columns() -> None:
    row = next(row for row in rows("every-kind-of-verdict", "findings") if row["verdict"] == "not-measured")

    assert row["missing"] == "php/sign/absent: the probe stopped replying"
    assert (row["warnings"], row["notes"]) == ("", "throttling")
    assert (row["level_language"], row["level_algorithm"]) == ("php", "absent")


def test_skipped_treatment_has_a_row_with_its_reason() -> None:
    skipped = [row for row in rows("treatments-skipped", "treatments") if row["state"] == "skipped"]

    assert len(skipped) == 2 + 8
    assert {row["reason"] for row in skipped} == {"node is not installed", "OpenSSL 3.0 has no ML-DSA"}
    assert skipped[0]["point"] == ""


def test_label_that_begins_a_formula_is_disarmed() -> None:
    row = rows("hostile-labels", "findings")[1]

    assert row["level_command"] == r"'=HYPERLINK(1)\r\nnext"
