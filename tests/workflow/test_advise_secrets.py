"""Advice from a run of secrets, by hand: what pays at a rate of calls."""

from __future__ import annotations

import pytest

from sectax.advice.advise import Asked
from sectax.advice.rates import NOT_ASKED, AskedRate
from sectax.model.advice import Advice, Between
from sectax.model.errors import WrongUse
from sectax.model.treatment import Treatment
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.workflow.advised import advised, document, printed

# On AWS nothing is asked of this machine.
ON_AWS = {
    "endpoint": ("aws",),
    "role": ("arn:aws:iam::123456789012:role/lambda",),
    "layer": ("arn:aws:lambda:us-east-1:123456789012:layer:extension:11",),
}
BLOCKS = tuple(range(1, 21))
# access -> situation -> seconds of a whole processor.
SECONDS = {
    "dictionary": {"hit": 0.4e-6, "miss": 0.010},
    "sidecar": {"hit": 1.0e-3, "miss": 0.012},
    "direct-new": {"hit": 0.040, "miss": 0.040},
}
SLOWER_AT_128 = 20.0


def given(asked: AskedRate = NOT_ASKED, *, situations: tuple[str, ...] = ("hit", "miss")) -> Advice:
    """Advice from a run in which a function of 128 MB takes twenty times as long."""
    levels = {"access": tuple(SECONDS), "memory": ("128", "1769"), "situation": situations}
    plan = plan_of("secrets", "default", levels, ON_AWS)

    def access(of: Treatment, block: int) -> float:
        slower = SLOWER_AT_128 if of.levels["memory"] == "128" else 1.0
        return SECONDS[of.levels["access"]][of.levels["situation"]] * slower * (1 + 1e-3 * (-1) ** block)

    values = {"access": access, "first_access": lambda *_: 0.015, "backend": lambda *of: access(*of) / 2}
    return advised(measured(plan, values, BLOCKS), Asked(rate=asked))


def words(of: Advice) -> str:
    return " ".join(printed(of).split())


def test_seconds_and_money_at_a_rate_are_those_worked_out_by_hand() -> None:
    found = given(AskedRate(calls=10, ttl_s=100.0, per_s=0.1))
    at = {(treatment.levels["access"], treatment.levels["memory"]): treatment for treatment in found.rates.at}

    # One invocation in ten finds the TTL over.
    sidecar = 0.1 * 0.012 + 9.9 * 0.001
    assert at["sidecar", "1769"].seconds.point == pytest.approx(sidecar, rel=1e-6)
    assert at["direct-new", "1769"].seconds.point == pytest.approx(0.4, rel=1e-6)
    gb = 1769 / 1024
    wanted = 1e6 * sidecar * gb * 0.0000166667 + 1e6 * 0.1 * 0.05 / 10_000
    assert at["sidecar", "1769"].money.point == pytest.approx(wanted, rel=1e-6)
    asked = 1e6 * 0.4 * gb * 0.0000166667 + 1e6 * 10 * 0.05 / 10_000
    assert at["direct-new", "1769"].money.point == pytest.approx(asked, rel=1e-6)


def test_without_misses_the_first_access_stands_for_them_and_is_named() -> None:
    found = given(AskedRate(calls=1, ttl_s=1.0, per_s=1.0), situations=("hit",))
    at = {(treatment.levels["access"], treatment.levels["memory"]): treatment for treatment in found.rates.at}

    assert at["sidecar", "1769"].seconds.point == pytest.approx(0.015)
    assert "the first access of an instance stands for it" in words(found)


def test_half_of_a_call_that_waits_for_the_answer_is_reported() -> None:
    parts = {anatomy.treatment: anatomy.parts for anatomy in given().anatomies}

    assert [round(part.share.point, 6) for part in parts["python/miss/32B/1769/back-to-back/sidecar"]] == [0.5, 0.5]


def test_the_document_holds_all_of_it_and_keeps_its_schema() -> None:
    assert len(document(given())["rates"]) == 6 * 9  # ways and memories; TTLs and calls


def test_two_ways_that_are_not_distinguished_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECONDS, "sidecar", SECONDS["dictionary"])

    assert "cannot be told apart from it" in words(given())


def test_an_experiment_without_rates_refuses_one() -> None:
    plan = plan_of("hmac", "default", {}, {key: ON_AWS[key] for key in ("endpoint", "role")})
    with pytest.raises(WrongUse):
        advised(measured(plan, {}, ()), Asked(rate=AskedRate(calls=3)))


def test_between_has_its_ends_in_order() -> None:
    found = given()

    def ends(figure: Between) -> bool:
        return figure.low is not None and figure.high is not None and figure.low <= figure.point <= figure.high

    assert all(ends(item.seconds) and ends(item.money) for item in found.rates.at)


def test_a_way_that_keeps_nothing_has_one_price_whatever_the_ttl() -> None:
    text = words(given())

    assert text.count("direct, new client any ") == 2
    assert "in-process dictionary 3600 s" in text
