"""Nobody starts a child, or reads what the kernel knows of one, but a host."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sectax
from sectax.hosts.registry import Host, host

SRC = Path(sectax.__file__).parent
ONLY_A_HOST_MAKES = {"Child", "TelemetryReader"}


def makes(path: Path) -> set[str]:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return {call.id for call in calls if isinstance(call, ast.Name)} & ONLY_A_HOST_MAKES


@pytest.mark.more
def test_only_the_local_host_makes_a_child_and_reads_its_telemetry() -> None:
    makers = {str(path.relative_to(SRC)): makes(path) for path in SRC.rglob("*.py") if makes(path)}

    assert makers == {"hosts/process/host.py": ONLY_A_HOST_MAKES}


def test_this_machine_is_the_host_that_is_meant_where_none_is_named() -> None:
    local: Host = host()

    assert local is host("local")
    assert local.identity()["host.kernel"]
