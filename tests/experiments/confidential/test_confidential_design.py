"""What a run is to be: what a host's name promises, and `--published`, the study's commands once and ours in blocks."""

from __future__ import annotations

import pytest

from sectax.experiments import registry
from sectax.experiments.confidential.subject import SysbenchSpec
from sectax.experiments.confidential.sysbench_tests import PUBLISHED_TESTS
from sectax.experiments.interface import RunRequest
from sectax.experiments.on_host.places import declares
from sectax.experiments.planning import add_default_budget
from sectax.model.plan import Plan, Stopping
from tests.machines import planned

HERE = {"host": ("a=local", "b=local")}
ASKED_NOTHING = Stopping(0.02)


def published(stopping: Stopping = ASKED_NOTHING, **levels: tuple[str, ...]) -> Plan:
    experiment = registry.load("confidential")
    return planned(experiment, add_default_budget(experiment, RunRequest("published", levels, stopping, 1, HERE)))


def test_the_studys_commands_run_once_and_ours_in_blocks() -> None:
    plan = published()

    once = {cell.id for cell in plan.cells if cell.once}
    assert once == {f"as-published/{name}" for name in PUBLISHED_TESTS}
    assert {cell.id for cell in plan.cells} - once == {f"by-count/{name}" for name in PUBLISHED_TESTS}


def test_the_time_that_is_announced_holds_the_commands_that_are_run() -> None:
    whole, quick = published(), published(test=("cpu", "mutex"))
    ours = published(test=("cpu", "mutex"), commands=("by-count",))

    budgets_s = [plan.stopping.budget_s or 0.0 for plan in (whole, quick, ours)]
    files_s = PUBLISHED_TESTS["fileio"].clock_s or 0.0
    assert budgets_s[0] > 2 * files_s
    assert 2 * files_s > budgets_s[1] > budgets_s[2] > 0
    assert budgets_s[0] <= 1000


def test_the_pilot_is_told_how_long_a_command_of_the_study_takes_and_tries_ours() -> None:
    assert SysbenchSpec("local", "fileio", as_published=True).known_s == 300.0
    assert all(SysbenchSpec("local", name, as_published=True).known_s for name in PUBLISHED_TESTS)
    assert SysbenchSpec("local", "fileio").known_s is None


@pytest.mark.parametrize(
    ("name", "where", "wanted"),
    [
        ("sev", "ssh://vm", {"memory_encryption": "sev"}),
        ("vm-sev-snp", "ssh://vm", {"memory_encryption": "sev-snp"}),
        ("sev-es-2", "ssh://vm", {"memory_encryption": "sev-es"}),
        ("TDX", "ssh://vm", {"memory_encryption": "tdx"}),
        ("seven", "ssh://vm", {}),
        ("normal", "ssh://vm", {"memory_encryption": "none"}),
        ("confidential", "ssh://vm", {"confidential": True}),
        ("mine", "oci:runsc", {"isolation": "gvisor"}),
        ("mine", "oci:runc", {"isolation": "container"}),
        ("mine", "oci:runc+seccomp", {"isolation": "container+seccomp"}),
        ("mine", "oci:crun+apparmor", {"isolation": "container+apparmor"}),
        ("mine", "oci:runc+seccomp+apparmor", {"isolation": "container+seccomp+apparmor"}),
        ("gvisor", "local", {"isolation": "gvisor"}),
        ("plain", "local", {}),
    ],
)
def test_a_name_promises_what_it_says(name, where, wanted):
    assert declares(name, where) == wanted
