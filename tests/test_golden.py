"""Golden files have no parts of tests that are gone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.golden import cases

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    "page", sorted(HERE.rglob("messages.txt")), ids=lambda page: str(page.parent.relative_to(HERE))
)
def test_every_message_has_its_test(page: Path) -> None:
    modules = {case.partition(": ")[0] for case in cases(page)}
    tests = {
        f"{module}: {node.name}"
        for module in modules
        for node in ast.walk(ast.parse(page.with_name(f"{module}.py").read_text()))
        if isinstance(node, ast.FunctionDef)
    }

    assert {case.partition("[")[0] for case in cases(page)} <= tests
