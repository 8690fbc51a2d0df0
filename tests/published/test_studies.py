"""The published studies as data."""

from __future__ import annotations

import math

import pytest

from sectax import published
from sectax.model.errors import WrongUse
from sectax.model.published import Fact, Known, PublishedLevel, PublishedStudy
from sectax.published import REQUIRED_FACTS, mislabelled, read

EVERY = pytest.mark.parametrize(
    "study", [published.load(treatment) for treatment in published.ids()], ids=lambda study: study.id
)


def test_unknown_study_is_refused_with_the_nearest() -> None:
    with pytest.raises(WrongUse) as refused:
        published.load("jwt-phq")

    assert "'jwt-phq'" in refused.value.message
    assert "jwt-php" in refused.value.hint.partition("?")[0]


@pytest.mark.parametrize("study_id", ["../jwt-php", "", "jwt-php.toml", "JWT-PHP\x00"])
def test_id_is_no_path(study_id: str) -> None:
    with pytest.raises(WrongUse):
        published.load(study_id)


@EVERY
def test_study_says_how_well_each_required_fact_is_known(study: PublishedStudy) -> None:
    assert set(REQUIRED_FACTS) <= study.facts.keys()


@EVERY
def test_fact_has_a_value_exactly_where_it_is_known_and_says_what_it_is_inferred_from(study: PublishedStudy) -> None:
    facts = [*study.facts.values()]
    facts += [fact for factor in study.factors for level in factor.levels for fact in level.facts.values()]
    facts += [fact for table in study.tables for fact in table.facts.values()]
    facts += [fact for table in study.tables for row_fact in table.row_facts.values() for fact in row_fact.values()]

    for fact in facts:
        assert (fact.value is None) == (fact.known is Known.UNKNOWN)
        assert fact.note or fact.known is not Known.INFERRED


@EVERY
def test_tables_have_the_shape_of_their_labels_and_positive_figures(study: PublishedStudy) -> None:
    for table in study.tables:
        assert len(table.values) == len(table.row_labels)
        assert {len(row) for row in table.values} == {len(table.column_labels)}
        assert all(value is None or value >= 0 for row in table.values for value in row)
        assert math.isfinite(table.per_unit)
    assert len({table.id for table in study.tables}) == len(study.tables)


@EVERY
def test_counterpart_names_factors_labels_and_tables_that_exist(study: PublishedStudy) -> None:
    ours = study.counterpart
    if ours is None:
        return
    labels = {factor.name: {level.label for level in factor.levels} for factor in study.factors}

    # What holds for a whole table is a factor too, though none whose levels the study sets beside each other.
    for table in study.tables:
        for name, label in table.fixed.items():
            labels.setdefault(name, set()).add(label)
    assert ours.factors.keys() == ours.labels.keys()
    assert {factor.name for factor in study.factors} <= ours.factors.keys() <= labels.keys()
    assert {name: set(mapping) for name, mapping in ours.labels.items()} == {name: labels[name] for name in ours.labels}
    tables = {table.id: table for table in study.tables}
    assert ours.metrics.keys() <= tables.keys()
    for name, between in ours.differences.items():
        assert tables[name].derived
        assert {between.of, between.less} <= set(tables[between.table].column_labels)
    for design in ours.designs:
        assert design.metrics.keys() <= tables.keys()
        assert design.columns.keys() == ours.columns.keys()


def test_degradation_that_a_study_printed_is_marked_as_derived_and_follows_from_its_table() -> None:
    total, degradation = published.load("confidential-vm-sysbench").tables

    assert degradation.derived
    for (normal, confidential), (printed,) in zip(total.values, degradation.values, strict=True):
        assert normal
        assert confidential
        assert abs((confidential / normal - 1) * 100 - printed) < 0.01


def test_only_the_label_that_contradicts_itself_gets_a_remark(agreed) -> None:
    remarks = [remark for study_id in published.ids() for remark in published.load(study_id).remarks]

    assert [(remark.id, remark.subject) for remark in remarks] == [("mislabelled-level", "ECDSA 384bit (prime256v1)")]
    agreed(remarks[0].text)


CONTRADICTING = (
    *("ECDSA 384bit (prime256v1)", "ECDSA 384 bit (prime256v1)", "secp256k1, 384-bit"),
    *("P-384 (256 bits)", "Ed25519 512 bit", "NISTP521 512bit"),
)
AGREEING = (
    *("RSA 2048bit", "EdDSA", "ECDSA 256bit (prime256v1)", "ECDSA P-384", "Ed25519 256 bit"),
    *("Ed25519 255 bit", "Ed448 456 bit", "P-521 (521 bits)", "AES 256bit", "384"),
)


def test_label_whose_size_is_not_that_of_its_curve_is_found() -> None:
    assert {remark and remark.id for remark in map(mislabelled, map(PublishedLevel, CONTRADICTING))} == {
        "mislabelled-level"
    }
    assert {mislabelled(PublishedLevel(label)) for label in AGREEING} == {None}


def test_curve_may_also_be_known_from_a_fact() -> None:
    level = PublishedLevel("ECDSA 384bit", {"curve": Fact(Known.STATED, "prime256v1")})

    assert mislabelled(level) is not None


STUDY = """
schema = 1
id = "x"
title = "X"
experiment = "jwt"
factors = [{ name = "a", levels = [{ label = "1" }] }, { name = "b", levels = [{ label = "2" }] }]
[[tables]]
id = "t"
metric = "latency"
unit = "s"
base_unit = "s"
per_unit = 1
rows = "a"
columns = "b"
values = [[VALUES]]
[facts]
FACTS
"""
UNKNOWN = "\n".join(f'{name} = {{ known = "unknown" }}' for name in REQUIRED_FACTS)


def test_study_file_in_good_order_is_read() -> None:
    study = read(STUDY.replace("VALUES", "0.5").replace("FACTS", UNKNOWN))

    assert study.tables[0].values == ((0.5,),)
    assert study.unknowns == REQUIRED_FACTS


@pytest.mark.parametrize(
    ("values", "facts", "said"),
    [
        ("0.5, 0.6", UNKNOWN, "not of the shape 1 × 1"),
        ("0.5", "", "missing facts: author"),
        ("0.5", UNKNOWN.replace('"unknown"', '"guessed"', 1), "Invalid enum value 'guessed'"),
        ("0.5", UNKNOWN.replace('"unknown"', '"stated"', 1), "has a value exactly where"),
        ("0.5", UNKNOWN.replace('"unknown"', '"inferred", value = 1', 1), "says in its note"),
        ("0.5", UNKNOWN.replace('"unknown"', '"unknown", colour = 1', 1), "unknown member facts.author.colour"),
        ('"fast"', UNKNOWN, "Expected `int | float | null`"),
    ],
)
def test_study_file_in_bad_order_is_refused(values: str, facts: str, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("|", r"\|")):
        read(STUDY.replace("VALUES", values).replace("FACTS", facts))
