"""What a tool promises of its numbers holds within their printed digits, or is broken."""

from __future__ import annotations

import pytest

from sectax.audit.reading.grammar import Promise, Record, broken
from sectax.audit.reading.printed import Number, read


def record(**fields: float | str | list[str]) -> Record:
    """A record whose texts are printed numbers, and whose floats have all their digits."""
    made = Record(7)
    for name, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            number = read("n", value) if isinstance(value, str) else Number(value)
            made.add(name.replace("__", "."), number)
    return made


def breaks(relation: str, within: float = 0.0, **fields: float | str | list[str]) -> bool:
    return broken(Promise(relation, within), record(**fields), "run") is not None


@pytest.mark.parametrize(
    ("relation", "fields", "fault"),
    [
        ("a = b", {"a": 1.0, "b": 1.0}, False),
        ("a = b", {"a": 1.0, "b": 2.0}, True),
        ("a <= b", {"a": 1.0, "b": 2.0}, False),
        ("a <= b", {"a": 2.0, "b": 1.0}, True),
        ("a + b = c", {"a": 1.0, "b": 2.0, "c": 3.0}, False),
        ("a - b = c", {"a": 1.0, "b": 2.0, "c": 3.0}, True),
        ("a * b = c", {"a": 2.0, "b": 3.0, "c": 6.0}, False),
        ("a / b = c", {"a": 6.0, "b": 3.0, "c": 2.0}, False),
        ("2 * a = b", {"a": 2.0, "b": 5.0}, True),
        ("time.mean = b", {"time__mean": 1.0, "b": 2.0}, True),
    ],
)
def test_relations_are_worked_out(relation: str, fields: dict[str, float], fault: bool) -> None:
    assert breaks(relation, **fields) is fault


def test_printed_digits_leave_room_of_a_step_to_each_side() -> None:
    assert not breaks("a = b", a="1.0", b="1.1")
    assert breaks("a = b", a="1.00", b="1.10")
    assert not breaks("a / b = c", a="100", b="3", c="30")


def test_a_share_leaves_more_room() -> None:
    assert not breaks("a = b", within=0.1, a=100.0, b=109.0)
    assert breaks("a = b", within=0.1, a=100.0, b=120.0)


def test_all_numbers_of_a_name_add_up() -> None:
    assert not breaks("sum(part) = whole", part=["1", "2", "3"], whole="6")
    assert breaks("sum(part) = whole", part=["1", "2", "3"], whole="60")


def test_of_several_numbers_the_last_counts() -> None:
    assert not breaks("a = b", a=["9.000", "1.000"], b="1.000")


@pytest.mark.parametrize("relation", ["a = missing", "sum(missing) = a", "a / zero = a"])
def test_a_promise_without_its_numbers_is_skipped(relation: str) -> None:
    assert not breaks(relation, a=1.0, zero=0.0)


def test_what_is_broken_has_both_sides_and_its_place() -> None:
    fault = broken(Promise("a + b = c", fatal=False), record(a=1.0, b=2.0, c=9.0), "run 2")

    assert (fault.promise, fault.left, fault.right) == ("a + b = c", 3.0, 9.0)
    assert (fault.run, fault.fatal) == ("run 2", False)


@pytest.mark.parametrize("relation", ["a", "a = b = c", "max(a) = b"])
def test_an_invalid_relation_is_refused(relation: str) -> None:
    with pytest.raises((ValueError, SyntaxError)):
        broken(Promise(relation), record(a=1.0, b=1.0, c=1.0), "run")


@pytest.mark.parametrize(
    ("kind", "text", "value", "step", "unit"),
    [
        ("n", "1,234.50", 1234.5, 0.01, "1"),
        ("n", "12.5k", 12500.0, 100.0, "1"),
        ("t", "1.50ms", 1.5e-3, 1e-5, "s"),
        ("t", "4m59.8s", 299.8, 0.1, "s"),
        ("ms", "96", 0.096, 1e-3, "s"),
        ("B", "2.0KB", 2048.0, 102.4, "bytes"),
        ("b", "2.0KB", 2000.0, 100.0, "bytes"),
        ("%", "12.5", 0.125, 1e-3, "1"),
    ],
)
def test_printed_numbers_have_their_step(kind: str, text: str, value: float, step: float, unit: str) -> None:
    number = read(kind, text)

    assert (number.value, number.step, number.unit) == (pytest.approx(value), pytest.approx(step), unit)
