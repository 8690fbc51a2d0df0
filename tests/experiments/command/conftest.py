"""Both launchers, in a cache of their own, and a look at which processes are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from sectax.experiments.command.launchers import Launcher, built_launcher, launcher, python_launcher
from sectax.experiments.command.subject import CommandSpec, CommandSubject
from sectax.model.subject import Visit, Witnesses, Work
from tests.needs import needs

SubjectOf = Callable[[CommandSpec], CommandSubject]
Measure = Callable[..., tuple[Witnesses, Visit, Witnesses]]


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Launchers are built for these tests alone; the user's cache stays as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECTAX_CACHE", str(tmp_path_factory.mktemp("cache")))
        launcher.cache_clear()
        yield
        launcher.cache_clear()


@pytest.fixture(params=[pytest.param("c", marks=needs("cc")), "python"])
def using(request: pytest.FixtureRequest) -> Launcher:
    """Each launcher in turn: what one promises the other must keep."""
    if request.param == "python":
        return python_launcher()
    built = built_launcher()
    assert built is not None
    return built


@pytest.fixture
def subject_of(using: Launcher) -> Iterator[SubjectOf]:
    """Makes subjects and kills them in the end."""
    made: list[CommandSubject] = []

    def make(spec: CommandSpec) -> CommandSubject:
        made.append(CommandSubject(spec, using))
        return made[-1]

    yield make
    for subject in made:
        subject.kill()


@pytest.fixture
def measure(subject_of: SubjectOf) -> Measure:
    """Open, one visit, close."""

    def do(*argv: str, work: Work | None = None, **conditions: object) -> tuple[Witnesses, Visit, Witnesses]:
        subject = subject_of(CommandSpec("it", argv, **conditions))  # type: ignore[arg-type]
        opened = subject.open()
        return opened, subject.visit(work or Work(count=1)), subject.close()

    return do
