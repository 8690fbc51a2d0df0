"""A run on several hosts: its findings are about them, host by host and of hosts like these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from sectax.analysis.analyse import analyse
from sectax.analysis.findings import judge
from sectax.model.environment import BOOT, Environment
from sectax.model.finding import AcrossHosts, AuditWarning, Severity, VerdictId
from sectax.model.measured import BlockRecord, Measured
from tests.analysis.runs import run_of


def on_hosts(effects: Mapping[str, float], each: int = 6, noise: float = 0.003, late: Sequence[str] = ()) -> Measured:
    """A treatment that costs so much on each host, as a log ratio, the hosts by turns; a late one has one block."""
    rng = np.random.default_rng(7)
    order = [host for _ in range(each) for host in effects if host not in late] + list(late)
    speed = {host: 1.0 + number for number, host in enumerate(effects)}

    def arm(extra: Mapping[str, float]) -> list[float]:
        return [speed[host] * math.exp(extra.get(host, 0.0) + rng.normal(0, noise)) for host in order]

    values = {"baseline": arm({}), "slow": arm(effects), "negative": arm({})}
    measured = run_of({**values, "positive": arm(dict.fromkeys(effects, math.log1p(0.04)))})
    records = {block: BlockRecord(2.0, {}, host) for block, host in zip(measured.blocks, order, strict=True)}
    return replace(measured, record=records)


def across(measured: Measured, warnings: Sequence[AuditWarning] = ()) -> AcrossHosts:
    (found,) = analyse(measured, warnings).hosts
    return found


FIVE = {f"host{number}": 0.2 + 0.01 * number for number in range(5)}


def test_a_run_on_one_host_has_nothing_host_by_host() -> None:
    assert analyse(on_hosts({"host0": 0.2})).hosts == ()


def test_the_finding_is_the_mean_of_the_hosts_and_its_interval_leaves_out_what_they_differ_by() -> None:
    effects = {f"host{number}": 0.1 * number for number in range(1, 6)}
    finding = judge(on_hosts(effects))[0]

    assert finding.effect.log_ratio == pytest.approx(0.3, abs=0.005)
    assert finding.effect.high - finding.effect.low < 0.03


def test_every_host_has_its_own_interval_and_hosts_like_these_a_wider_one_around_the_same_mean() -> None:
    found = across(on_hosts(FIVE))

    assert [one.host for one in found.hosts] == list(FIVE)
    for one in found.hosts:
        effect = one.finding.effect
        assert effect.blocks == 6
        assert effect.low < FIVE[one.host] < effect.high
    assert found.alike.verdict is VerdictId.SLOWER_MATERIAL
    alike, measured = found.alike.effect, found.measured.effect
    assert alike.log_ratio == pytest.approx(measured.log_ratio)
    assert alike.low < measured.low
    assert measured.high < alike.high
    assert alike.method == "student-t-over-hosts"
    assert found.spread.low < math.expm1(0.0158) < found.spread.high


def test_hosts_of_two_kinds_make_no_common_claim() -> None:
    found = across(on_hosts(FIVE | {"host4": 0.5}))

    assert found.alike is None
    assert "host4" in found.refused
    assert found.unseen == 0


def test_processors_that_differ_make_no_common_claim() -> None:
    """Two of one model, between whose hosts and the others there is no gap as between kinds."""
    measured = on_hosts({"host0": 0.2, "host1": 0.22, "host2": 0.24, "host3": 0.29, "host4": 0.31})
    models = dict(zip(measured.hosts, ("EPYC", "EPYC", "EPYC", "Xeon", "Xeon"), strict=True))
    session = Environment({}, hosts={host: Environment({"host.cpu_model": model}) for host, model in models.items()})

    assert across(measured).alike is not None
    found = across(replace(measured, sessions=(session,)))
    assert found.alike is None
    assert "EPYC, Xeon" in found.refused


def test_four_hosts_claim_nothing_of_others() -> None:
    found = across(on_hosts({host: FIVE[host] for host in list(FIVE)[:4]}))

    assert found.alike is None
    assert "5" in found.refused
    assert found.measured.verdict is VerdictId.SLOWER_MATERIAL


def test_nothing_is_claimed_of_others_before_the_run_has_ended() -> None:
    found = across(replace(on_hosts(FIVE), state="running"))

    assert found.alike is None
    assert found.refused
    assert all(one.finding.effect is not None and math.isinf(one.finding.effect.high) for one in found.hosts)


def test_a_verdict_that_was_taken_away_claims_nothing_of_others() -> None:
    found = across(on_hosts(FIVE), [AuditWarning("check", Severity.FATAL, "slow", "saw", "meaning")])

    assert found.measured.verdict is VerdictId.WITHDRAWN
    assert found.alike is None


def test_the_odd_host_is_named_where_it_differs_by_more_than_the_margin() -> None:
    assert across(on_hosts({**FIVE, "host3": 0.6}, each=8)).odd == "host3"
    little = {**dict.fromkeys(FIVE, 0.2), "host3": 0.215}
    assert across(on_hosts(little, each=40, noise=0.0005)).odd == ""


def test_a_late_host_is_left_out_and_said_so() -> None:
    found = across(on_hosts({**FIVE, "late": 3.0}, late=["late"]))

    assert found.left_out == ("late",)
    assert found.measured.effect.log_ratio == pytest.approx(0.22, abs=0.005)
    assert found.measured.effect.blocks == 30


def test_workers_of_one_machine_are_one_host(agreed) -> None:
    """As those of `--on local:5`: they are known by what their kernel drew when it started."""
    measured = on_hosts(FIVE)
    worker = Environment({"host.cpu_model": "Abacus 3"}, {BOOT: "6f0c"})
    session = replace(measured.sessions[0], hosts=dict.fromkeys(FIVE, worker))

    analysed = analyse(replace(measured, sessions=(session,)))

    assert analysed.hosts == ()
    agreed(analysed.scope)
    finding = judge(measured)[0]
    assert analysed.findings[0].effect.spread > 2 * finding.effect.spread  # what they differ by is noise then


def test_the_controls_of_the_run_know_of_hosts_too() -> None:
    """Hosts that differ by a factor of five between them leave both controls as they are."""
    (controls,) = analyse(on_hosts(FIVE)).controls

    assert controls.negative.verdict is VerdictId.EQUIVALENT
    assert controls.positive.verdict is VerdictId.SLOWER_MATERIAL
