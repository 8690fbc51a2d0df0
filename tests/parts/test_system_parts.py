"""What the isolation experiment needs: programs of the system, and gVisor's runtime."""

from __future__ import annotations

import shutil

from sectax.experiments.on_host.containers import oci_host
from sectax.parts import cache, gvisor
from sectax.parts import registry as parts
from tests.needs import needs


def test_a_program_of_the_system_is_named_with_its_package(agreed):
    lack = parts.load("system:no-such-program").missing()

    agreed(lack.reason)
    assert lack.apt == ("no-such-program",)


@needs("Go")
def test_gvisor_is_made_where_go_is_and_asked_for_where_it_is_not(tmp_path, monkeypatch, agreed):
    go = shutil.which("go")
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    without = parts.load("runsc").missing()

    agreed(without.reason)
    assert go is not None
    (tmp_path / "go").symlink_to(go)
    lack = parts.load("runsc").missing()
    assert lack.makable


def test_the_runtime_that_was_built_is_the_one_that_containers_use(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "/nonexistent")
    host = oci_host("oci:runsc")
    assert host._find_runtime("runsc") is None

    gvisor.built().parent.mkdir(parents=True)
    (tmp_path / "runsc").write_text("#!/bin/sh\n")
    cache.store(tmp_path / "runsc", gvisor.built())

    assert host._find_runtime("runsc") == str(gvisor.built())
    assert parts.load("runsc").missing() is None
