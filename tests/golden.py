"""Golden files: what is printed in a situation. `SECTAX_GOLDEN=write` writes them again; read the difference."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from sectax.model.errors import SectaxError, SubjectFailed
from tests.program import Said

_WRITES = os.environ.get("SECTAX_GOLDEN") == "write"


# C libraries word these differently: a golden text has the name of the error or the signal instead.
_NAMES = {os.strerror(number): name for number, name in errno.errorcode.items()} | {
    f"({signal.strsignal(number)})": f"({number.name})" for number in signal.Signals
}
_WORDS_OF_LIBC = re.compile("|".join(map(re.escape, sorted(_NAMES, key=len, reverse=True))))


@pytest.fixture
def agreed(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compare texts with what messages.txt in the test's folder has for this test.

    Called with texts and errors (their message and hint), and by keyword with what differs from run to run: the word
    that replaces it. The test's folder becomes FOLDER. Warnings are left out: they depend on how busy the machine is.
    """

    def compare(*said: object, **hidden: object) -> None:
        text = "\n".join(map(_text, said))
        if "tmp_path" in request.fixturenames:
            hidden["FOLDER"] = request.getfixturevalue("tmp_path")
        for word, shown in hidden.items():
            text = text.replace(str(shown), word)
        case = f"{request.path.stem}: {request.node.name}"
        part_as_agreed(request.path.with_name("messages.txt"), case, text.rstrip("\n") + "\n")

    return compare


def as_agreed(path: Path, text: str) -> None:
    """Compare a text with a golden file, byte for byte."""
    text = _own_words(text)
    if _WRITES:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    assert path.exists(), f"no golden file {path}: run the tests once with SECTAX_GOLDEN=write"
    assert text == path.read_bytes().decode()


def cases(path: Path) -> list[str]:
    """The headings of a golden file of refusals."""
    return [line.removeprefix("== ") for line in path.read_text().splitlines() if line.startswith("== ")]


def refused_as_agreed(path: Path, case: str, said: Said, folder: Path) -> None:
    """Compare a refusal (exit status 2, with a hint, before anything was begun) with its part of a golden file."""
    # How busy the machine is, is said first.
    err = "".join(line for line in said.err.splitlines(keepends=True) if not line.startswith("warning: "))
    text = err.replace(str(folder), "FOLDER").replace("python -m tests.sectax", "sectax").rstrip("\n") + "\n"
    text = re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", without_lists(text))  # no commit has its identifier twice
    assert (said.status, said.out) == (2, "")
    assert "hint: " in said.err
    part_as_agreed(path, case, text)


def failed_as_agreed(path: Path, case: str, failed: SectaxError, **hidden: object) -> None:
    """Compare what a failure says, and what it proposes, with its part of a golden file.

    Args:
        hidden: what differs from run to run, by the word that stands in its place.
    """
    assert failed.message.isprintable()
    assert failed.hint
    text = f"{failed.message}\nhint: {failed.hint}\n"
    if isinstance(failed, SubjectFailed):
        text += f"stage: {failed.stage}\n"
    for word, shown in hidden.items():
        text = text.replace(str(shown), word)
    text = re.sub(r"\b\d{5,}\b", "NUMBER", text)  # how many bytes had come
    part_as_agreed(path, case, text)


def part_as_agreed(path: Path, case: str, text: str) -> None:
    """Compare a text of whole lines with its part of a golden file."""
    text = _own_words(text)
    if _WRITES:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            written = _parts(path.read_text()) | {case: text}
            path.write_text("".join(f"== {name}\n{part}" for name, part in sorted(written.items())))
    assert _parts(path.read_text()).get(case) == text


def without_lists(text: str) -> str:
    """A new experiment, level or option changes no refusal."""
    return re.sub(r"((?:there are|Supported|one of these): [\w.-]+,)[^;\n]{40,}", r"\1 …", text)


def _own_words(text: str) -> str:
    text = re.sub(r"(?<=sectax.toml cannot be read: ).*(?= \(at line)", "PYTHON SAYS WHY", text)
    return _WORDS_OF_LIBC.sub(lambda match: _NAMES[match[0]], text)


def _text(said: object) -> str:
    text = f"{said}\nhint: {said.hint}" if getattr(said, "hint", "") else str(said)  # type: ignore[attr-defined]
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("warning: "))


def _parts(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in f"\n{text}".split("\n== ")[1:]:
        name, _, words = part.partition("\n")
        found[name] = words.rstrip("\n") + "\n"
    return found
