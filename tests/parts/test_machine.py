"""One rule for the names of processors, and what each maker makes of it."""

from __future__ import annotations

import platform

import pytest

from sectax.parts import go, machine


@pytest.mark.parametrize(
    ("kernels", "lambdas", "gos"),
    [("x86_64", "x86_64", "amd64"), ("aarch64", "arm64", "arm64"), ("arm64", "arm64", "arm64"), ("riscv64",) * 3],
)
def test_processors_go_under_the_names_of_lambda_and_of_go(monkeypatch, kernels, lambdas, gos):
    monkeypatch.setattr(platform, "machine", lambda: kernels)

    assert machine.architecture() == lambdas
    assert go.architecture() == gos
