"""What each experiment refuses, and in which words: every heading of a file is what was typed, its text the answer.

A new case is a heading; `SECTAX_GOLDEN=write` writes the answer below it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from sectax.cli import parse
from sectax.experiments import registry
from sectax.model.errors import WrongUse
from tests.golden import as_agreed, cases, without_lists
from tests.machines import planned, request_for

FILES = sorted(Path(__file__).with_name("refusals").iterdir())
# What is compared, where a case names nothing else.
COMPARED = {
    "command": {"baseline": ("sleep 0.1",), "treatment": ("slow=sleep 0.2",)},
    "function": {"baseline": ("a",), "treatment": ("more=b",)},
    "http": {"baseline": ("http://127.0.0.1:1/",), "treatment": ("new=https://127.0.0.1:2/",)},
}


def typed(case: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The preset and the options of a command line; `\\n` stands for what nobody can type. No value: none at all."""
    options: dict[str, tuple[str, ...]] = {}
    name = ""
    for word in shlex.split(case):
        if word.startswith("--"):
            name = word.removeprefix("--")
            options.setdefault(name, ())
        else:
            text = word.encode("latin-1", "backslashreplace").decode("unicode_escape")
            options[name] = (*options[name], text)
    preset = next((one for one in ("quick", "published") if options.pop(one, None) is not None), "default")
    return preset, options


def refusal(experiment: str, case: str) -> str:
    preset, options = typed(case)
    levels = parse.levels(options.pop("level", ()))
    loaded = registry.load(experiment)
    with pytest.raises(WrongUse) as refused:
        loaded.bench(
            planned(loaded, request_for(preset, levels, COMPARED.get(experiment, {}) | options), str(Path.cwd()))
        )
    assert refused.value.message.isprintable()
    assert refused.value.hint
    return f"{refused.value.message}\nhint: {refused.value.hint}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_invalid_options_are_rejected_as_in_the_golden_files(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "lambda_function.py").write_text("def lambda_handler(event, context):\n    return 1\n")
    monkeypatch.chdir(tmp_path)

    answers = "".join(f"== {case}\n{refusal(path.stem, case)}\n" for case in cases(path))

    as_agreed(path, without_lists(answers.replace(str(tmp_path), "FOLDER")))
