"""The advice of runs over hosts: what each kind of work costs, a mix of one's own, all pairs together, and the bill."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from sectax import published
from sectax.advice.advise import Asked, advice
from sectax.analysis.analyse import analyse
from sectax.analysis.compare import compare_with_published
from sectax.experiments.confidential import EXPERIMENT
from sectax.experiments.confidential.experiment import AS_PUBLISHED
from sectax.experiments.interface import Request
from sectax.hosts import registry as hosts
from sectax.model.errors import WrongUse
from sectax.model.measured import Measured
from sectax.model.plan import Stopping
from sectax.model.treatment import Role
from sectax.prices import load
from sectax.workflow.analyse import analyse_measured
from sectax.workflow.present import View, render
from tests.fakes.measured import measured as measured_run
from tests.machines import planned

BLOCKS = tuple(range(1, 21))
# Of the second host, its time over that of the first.
RATIOS = {"cpu": 1.0, "memory-write": 1.05, "fileio": 3.0, "syscalls": 2.0}
HOSTS = ("a=local", "b=local:b")
STUDY = published.load("confidential-vm-sysbench")


@pytest.fixture(autouse=True)
def _other_hosts(monkeypatch):
    """Hosts of which only the names matter: nothing is measured."""
    here = hosts.host()
    for number in range(2, 20):
        monkeypatch.setitem(hosts._known, f"local:{number}", here)
    monkeypatch.setitem(hosts._known, "local:b", here)


def run(
    tests: tuple[str, ...] = tuple(RATIOS), *, pairs: tuple[str, ...] = (), preset: str = "default", spread: float = 0.0
) -> Measured:
    """Blocks that are slower by a fifth every second time; *spread* is by how much every pair differs from the last."""
    options = {"host": HOSTS, "pair": pairs}
    levels = {} if preset == "published" else {"test": tests}
    plan = planned(EXPERIMENT, Request(preset, levels, Stopping(0.02), 1, options))

    def seconds(levels: dict[str, str], block: int, role: Role) -> float:
        slower = RATIOS.get(levels["test"], 1.0) if levels["host"] == "b" else 1.0
        if levels["host"] == "b" and levels["test"] == "cpu":
            slower += spread * int(levels.get("pair", "1"))
        if role is Role.POSITIVE:
            slower *= 1.04
        jitter = 1 + 0.0005 * ((block * 7 + len(levels["test"])) % 5)
        return 1e-3 * slower * (1.2 if block % 2 else 1.0) * (jitter if levels["host"] == "b" else 1.0)

    values = {
        treatment.id: {block: seconds(treatment.levels, block, treatment.role) for block in BLOCKS}
        for treatment in plan.treatments
    }
    return measured_run(plan, {"time": values}, BLOCKS)


def advised(measured: Measured, **asked):
    return advice(analyse(measured), EXPERIMENT.advice_rules(measured.plan), load(), Asked(**asked))


def text(given) -> str:
    return " ".join(render(given, "terminal", View(width=100)).split())


def test_every_kind_of_work_has_its_ratio():
    (profile,) = advised(run()).profiles

    found = {kind.findings[0].comparison.cell: kind.findings[0] for kind in profile.kinds}
    assert {cell: math.exp(finding.effect.log_ratio) for cell, finding in found.items()} == {
        cell: pytest.approx(RATIOS[cell], rel=0.003) for cell in RATIOS
    }


def test_a_mix_is_the_sum_of_its_parts():
    (mixed,) = advised(run(), mix={"cpu": 0.6, "memory": 0.2, "syscalls": 0.2}).mixes

    assert mixed.ratio is not None
    assert mixed.ratio.point == pytest.approx(0.6 * 1.0 + 0.2 * 1.05 + 0.2 * 2.0, rel=0.002)
    assert mixed.ratio.low < mixed.ratio.point < mixed.ratio.high


def test_a_mix_of_one_kind_is_that_kind():
    (mixed,) = advised(run(), mix={"fileio": 1.0}).mixes

    assert mixed.ratio.point == pytest.approx(3.0, rel=0.002)
    effects = [found.effect for found in analyse_measured(run()).findings if "fileio" in found.comparison.treatment]
    (effect,) = [effect for effect in effects if effect is not None and effect.log_ratio > 1]
    assert (math.log(mixed.ratio.low), math.log(mixed.ratio.high)) == pytest.approx((effect.low, effect.high))


@pytest.mark.parametrize(
    ("mix", "said"),
    [
        ({"cpuu": 1.0}, "there is no kind of work 'cpuu'"),
        ({"network": 1.0}, "this run has measured nothing of 'network'"),
    ],
)
def test_a_mix_of_what_is_not_there_is_refused(mix, said):
    with pytest.raises(WrongUse, match=said):
        advised(run(), mix=mix)


def test_a_verdict_that_was_taken_away_is_in_no_mix():
    measured = run()
    lying = next(treatment for treatment in measured.plan.treatments if treatment.levels["host"] == "b")
    treatments = tuple(
        replace(treatment, declares={"isolation": "gvisor"}) if treatment is lying else treatment
        for treatment in measured.plan.treatments
    )
    witnesses = {lying.id: {"isolation": ("none",)}}
    measured = replace(measured, plan=replace(measured.plan, treatments=treatments), witnesses=witnesses)

    rules = EXPERIMENT.advice_rules(measured.plan)
    (mixed,) = advice(analyse_measured(measured), rules, load(), Asked(mix={"cpu": 1.0})).mixes

    assert mixed.ratio is None
    assert "withdrawn" in mixed.missing


def test_the_bill_is_the_price_times_the_time():
    given = advised(
        run(),
        mix={"syscalls": 0.5, "cpu": 0.5},
        machines={"a": "vm.m6a.xlarge", "b": "vm.m6a.xlarge.sev-snp"},
    )

    (rented,) = given.rents
    assert rented.baseline.total == pytest.approx(0.1728)
    assert rented.bill.total == pytest.approx(0.19008 * 1.5, rel=0.002)
    assert rented.least < rented.bill.total < rented.most


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"machines": {"a": "vm.m6a.xlarge"}}, "--vm needs to know the work"),
        ({"mix": {"cpu": 1.0}, "machines": {"b": "vm.m6a.xlarge"}}, "says nothing of a, the baseline"),
        ({"mix": {"cpu": 1.0}, "machines": {"a": "vm.m6a.xlarge", "c": "vm.m6a.xlarge"}}, "no host of this name"),
        ({"mix": {"cpu": 1.0}, "machines": {"a": "vm.nothing"}}, "has no price for vm.nothing"),
    ],
)
def test_a_bill_that_cannot_be_made_is_refused(asked, said):
    with pytest.raises(WrongUse, match=said):
        advised(run(), **asked)


def test_all_pairs_together_are_one_value_for_every_pair():
    pairs = tuple(f"local:{2 * number}=local:{2 * number + 1}" for number in range(1, 5))

    given = advised(run(("cpu",), pairs=pairs, spread=0.01))

    (pooled,) = given.pooled
    assert (pooled.ratio.count, pooled.words) == (5, "cpu")
    assert pooled.ratio.point == pytest.approx(1.03, rel=0.003)
    # Five pairs from 1 % to 5 % slower: Student's t over five values, not over a hundred blocks.
    assert pooled.ratio.low == pytest.approx(1.03 - 0.0196, abs=0.002)


def test_the_document_holds_all_of_it():
    document = json.loads(render(advised(run(), mix={"cpu": 1.0}), "json"))

    assert document["mix"] == {"cpu": 1.0}
    assert document["mixes"][0]["ratio"]["unit"] == "ratio"
    assert {kind["words"] for kind in document["profiles"][0]["kinds"]} >= {"computing", "system calls"}


def test_the_study_is_compared_by_ratios_within_a_row_alone():
    (table,) = compare_with_published(analyse(run()), STUDY).tables

    assert table.absolute == table.down == ()
    shapes = {ratio.name: ratio for ratio in table.across}
    fileio = shapes["normal : confidential, fileio"]
    assert fileio.there.value == pytest.approx(300.0567 / 300.1126)
    assert fileio.here[0].value == pytest.approx(1 / 3.0, rel=0.01)
    assert shapes["normal : confidential, mutex"].here[0].missing == "not part of this run"


def test_with_published_the_studys_commands_and_ours_stand_side_by_side():
    measured = run(preset="published")

    compared = compare_with_published(analyse(measured), STUDY)

    assert [side.name for side in compared.tables[0].here] == ["here, by-count, b", f"here, {AS_PUBLISHED}, b"]
    assert {treatment.levels["test"] for treatment in measured.plan.treatments} == {
        *("cpu", "memory-write", "fileio", "threads", "mutex")
    }
    # Advice is made of tests that do a fixed number of operations.
    kinds = [kind for profile in advised(measured).profiles for kind in profile.kinds]
    assert all(AS_PUBLISHED not in finding.comparison.cell for kind in kinds for finding in kind.findings)
