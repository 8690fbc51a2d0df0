"""What was built and then damaged is found."""

from __future__ import annotations

import pytest

from sectax.parts import installer, probes


@pytest.fixture
def built(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.py").write_text("one = 1\n")
    (tmp_path / "python").symlink_to("/usr/bin/env")
    probes.remember_checksums(tmp_path)
    return tmp_path


def test_what_is_as_it_was_built_is_whole_and_may_have_grown(built):
    (built / "lib" / "__pycache__").mkdir()
    (built / "lib" / "__pycache__" / "a.pyc").write_bytes(b"later")

    assert probes.find_damage(built) is None


def test_a_changed_a_missing_and_a_listless_file_are_damage(built, agreed):
    (built / "lib" / "a.py").write_text("one = 2\n")
    changed = probes.find_damage(built)

    (built / "lib" / "a.py").unlink()
    missing = probes.find_damage(built)

    (built / "files.sha256").write_text("")
    agreed(changed, missing, probes.find_damage(built))


def test_a_damaged_probe_is_found_and_built_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path))
    probe = probes.load("python")
    folder = probe.environment_folder()

    def install(command, failure, **settings):
        (folder / "lib").mkdir(parents=True, exist_ok=True)
        (folder / "lib" / "a.py").write_text("whole\n")

    monkeypatch.setattr(installer, "run", install)
    probes.set_up(probe)
    assert probes.missing(probe, thorough=True) is None

    (folder / "lib" / "a.py").write_text("damaged\n")
    lack = probes.missing(probe, thorough=True)
    assert (lack.makable, lack.hint) == (True, "sectax setup")
    assert "lib/a.py" in lack.reason

    probes.set_up(probe)
    assert probes.missing(probe, thorough=True) is None
