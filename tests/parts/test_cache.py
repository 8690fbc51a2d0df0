"""What the cache gives to be started is this user's, and as it was built."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lambda_local.errors import SetUpFailed
from lambda_local.runtimes import installing
from sectax.cli.config import ConfigFile
from sectax.experiments.on_host.containers import oci_host
from sectax.experiments.secrets import agent, moto
from sectax.model.errors import WrongUse
from sectax.parts import c_programs, cache, go, gvisor, probes
from sectax.parts.cache_entry import CacheEntry
from sectax.run import private_inputs
from tests.needs import needs

SOURCE = "int main(void) { return 0; }\n"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SECTAX_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("LAMBDA_LOCAL_CACHE", str(tmp_path / "lambda"))


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Let a path belong to another user; without root, every path."""

    def give(path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, 12345, -1)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: 12345)

    return give


def store(path: Path, content: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    built = path.with_name("built")
    built.write_text(content)
    cache.store(built, path)
    return path


def test_a_stored_file_is_intact_until_it_changes() -> None:
    path = store(cache.cache_folder() / "programs" / "a" / "program")
    assert cache.is_intact(path)

    path.write_text("another")

    assert not cache.is_intact(path)
    assert not cache.is_intact(path.with_name("missing"))


def test_a_file_without_a_remembered_hash_is_not_started(tmp_path: Path) -> None:
    path = gvisor.built()
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")

    assert oci_host("oci:runsc")._find_runtime("runsc") != str(path)


@needs("cc")
def test_a_changed_c_program_is_built_again_and_not_tried(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(SOURCE)
    built = c_programs.built(source, "tests", (c_programs.DYNAMIC,))
    assert built is not None
    before = built[0].read_bytes()
    built[0].write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")

    assert c_programs.built(source, "tests", (c_programs.DYNAMIC,)) == built
    assert built[0].read_bytes() == before
    assert not (tmp_path / "started").exists()


STARTED: dict[str, tuple[Callable[[], Path], Callable[[], object]]] = {
    "gVisor": (lambda: store(gvisor.built()), gvisor.missing),
    "AWS's agent": (lambda: store(agent._program()), agent.missing),
    "moto": (lambda: store(moto._folder() / "complete"), moto.missing),
    "a probe": (
        lambda: store((probes.load("python").environment_folder() or Path()) / "complete"),
        lambda: probes.missing(probes.load("python")),
    ),
    "Go": (lambda: store(go._fetched_program(go.RELEASE)), lambda: go.find(go.RELEASE)),
}


@pytest.mark.parametrize("above", [0, 1, 2], ids=["file", "folder", "folder above"])
@pytest.mark.parametrize(("make", "use"), STARTED.values(), ids=STARTED)
def test_what_belongs_to_another_user_is_refused(
    give_away: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[], Path],
    use: Callable[[], object],
    above: int,
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    path = make()
    give_away([path, *path.parents][above])

    with pytest.raises(WrongUse, match="another user") as caught:
        use()
    assert "SECTAX_CACHE" in caught.value.hint


def test_a_runtime_of_another_user_is_refused(give_away: Callable[[Path], None]) -> None:
    folder = installing.make_once(installing.place("shell"), lambda folder: folder.mkdir())
    give_away(folder)

    with pytest.raises(SetUpFailed, match="another user"):
        installing.make_once(folder, lambda folder: None)


def test_texts_and_marks_of_another_user_do_not_count(give_away: Callable[[Path], None]) -> None:
    entry, file = CacheEntry("tests", {}), ConfigFile(Path("sectax.toml"), "")
    entry.keep("text")
    file.trust()
    private_inputs.keep("0" * 16, {"key": "value"})
    assert (entry.recall(), file.is_trusted(), private_inputs.recall("0" * 16)) == ("text", True, {"key": "value"})

    for folder in (cache.cache_folder(), cache.state_folder()):
        for path in folder.rglob("*"):
            give_away(path)

    assert (entry.recall(), file.is_trusted(), private_inputs.recall("0" * 16)) == (None, False, None)
