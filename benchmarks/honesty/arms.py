"""The runs whose answers are known: their words for `sectax run`, and where the truth comes from."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.honesty.reference import jwt_reference
from sectax.experiments.honesty.experiment import TIMES

References = Mapping[str, float]

# About 30 ms of a whole program, its start among them.
_PROGRAM = shlex.join([sys.executable, "-I", "-S", "-c", "for _ in range(400_000): pass"])


@dataclass(frozen=True)
class Arms:
    """One kind of session.

    Attributes:
        shows: what its treatments are, for `--help`.
        words: behind `sectax run`, given the languages.
        presets: whether it has `--quick`.
        references: treatment -> log of the true cost ratio; None where the run file says it (extra operations).
    """

    shows: str
    words: Callable[[Sequence[str]], list[str]]
    presets: bool = True
    references: Callable[[Sequence[str]], References | None] = lambda languages: None


def _languages(languages: Sequence[str]) -> list[str]:
    return ["--level", f"language={','.join(languages)}"]


ARMS = {
    "alike": Arms("one operation against itself, and with known extra", lambda names: ["honesty", *_languages(names)]),
    "unlike": Arms(
        "short operations beside long ones, with a ratio known by construction",
        lambda names: ["honesty", "--unlike", *_languages(names)],
        presets=False,
        references=lambda names: {
            f"{name}/{level}": math.log(times) for name in names for level, times in TIMES.items()
        },
    ),
    "jwt": Arms(
        "the algorithms of `run jwt`, against CPU time that was measured before",
        lambda names: ["jwt", *_languages(names)],
        references=lambda names: jwt_reference({"language": tuple(names)}),
    ),
    "command": Arms(
        "a program against itself",
        lambda names: (
            ["command", "--baseline", _PROGRAM]
            + [word for name in ("again", "once-more") for word in ("--treatment", f"{name}={_PROGRAM}")]
        ),
        presets=False,
        references=lambda names: {"all/again": 0.0, "all/once-more": 0.0},
    ),
}
