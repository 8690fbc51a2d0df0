"""Runs over hosts: what all pairs say together, and beside the published study."""

from __future__ import annotations

import pytest

from sectax import published
from sectax.analysis.analyse import analyse
from sectax.analysis.compare import compare_with_published
from sectax.experiments.confidential.experiment import AS_PUBLISHED
from sectax.hosts import registry as hosts
from sectax.model.measured import Measured
from sectax.model.treatment import Role, Treatment
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.run.advised import advised

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
    plan = plan_of("confidential", preset, levels, options)

    def seconds(of: Treatment, block: int) -> float:
        levels = of.levels
        slower = RATIOS.get(levels["test"], 1.0) if levels["host"] == "b" else 1.0
        if levels["host"] == "b" and levels["test"] == "cpu":
            slower += spread * int(levels.get("pair", "1"))
        if of.role is Role.POSITIVE:
            slower *= 1.04
        jitter = 1 + 0.0005 * ((block * 7 + len(levels["test"])) % 5)
        return 1e-3 * slower * (1.2 if block % 2 else 1.0) * (jitter if levels["host"] == "b" else 1.0)

    return measured(plan, {"time": seconds}, BLOCKS)


def test_all_pairs_together_are_one_value_for_every_pair():
    pairs = tuple(f"local:{2 * number}=local:{2 * number + 1}" for number in range(1, 5))

    given = advised(run(("cpu",), pairs=pairs, spread=0.01))

    (pooled,) = (row.value for row in given.rows if row.levels["test"] == "cpu")
    assert pooled.count == 5
    assert pooled.point == pytest.approx(1.03, rel=0.003)
    # Five pairs from 1 % to 5 % slower: Student's t over five values, not over a hundred blocks.
    assert pooled.low == pytest.approx(1.03 - 0.0196, abs=0.002)


def test_the_study_is_compared_by_ratios_within_a_row_alone():
    (table,) = compare_with_published(analyse(run()), STUDY).tables

    assert table.down == ()
    shapes = {ratio.name: ratio for ratio in table.across}
    fileio = shapes["normal : confidential, fileio"]
    assert fileio.there.value == pytest.approx(300.0567 / 300.1126)
    assert fileio.here[0].value == pytest.approx(1 / 3.0, rel=0.01)
    assert shapes["normal : confidential, mutex"].here[0].missing == "not part of this run"


def test_published_measures_the_studys_commands_beside_ours():
    published_run = run(preset="published")

    compared = compare_with_published(analyse(published_run), STUDY)

    assert [side.name for side in compared.tables[0].here] == ["here, by-count, b", f"here, {AS_PUBLISHED}, b"]
    tests = {treatment.levels["test"] for treatment in published_run.plan.treatments}
    assert tests == {"cpu", "memory-write", "fileio", "threads", "mutex"}
