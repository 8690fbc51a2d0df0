"""A test has the same environment on every host, whatever sectax was started with."""

from __future__ import annotations

import pytest

from sectax.experiments.confidential.subject import SysbenchSpec
from sectax.model.environment import LOCAL_HOST
from tests.machines import plan_of
from tests.needs import needs


@needs("cc")
def test_the_environment_of_a_test_is_named_and_nothing_else_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("A_VARIABLE_OF_OURS", "x" * 1000)
    subject = SysbenchSpec(LOCAL_HOST, "syscalls").subject()
    try:
        witnesses = subject.open()
    finally:
        subject.kill()

    names = sorted(part.partition("=")[0] for part in str(witnesses["environment"]).split(", "))
    assert names == ["LC_ALL", "PATH"]


def test_hosts_with_other_environments_do_unequal_work() -> None:
    options = {"host": ("a=local", "b=local")}
    plan = plan_of("confidential", "quick", {}, options)

    assert "environment" in plan.equal_witnesses
