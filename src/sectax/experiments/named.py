"""What somebody compares by names of their own: a baseline, treatments, and options for all of it or for one of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sectax.experiments.levels import as_name
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

BASELINE, TREATMENT = "baseline", "treatment"
# The option that says where paths begin: recorded, so that a run can be resumed from elsewhere. Nobody types it.
FOLDER = "folder"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_LONGEST_NAME = 24


@dataclass(frozen=True)
class ComparedKind:
    """What is compared, in words.

    Attributes:
        word: one of it. example: what stands for it, as in URL. usage: how two are given.
        private: whether it may hold a secret, so that no message repeats it.
    """

    word: str
    example: str
    usage: str
    private: bool = False


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def split_name(typed: str) -> tuple[str, str]:
    """`NAME=TEXT` in its two parts; without a name the first is empty."""
    name, separator, text = typed.partition("=")
    return (name, text) if separator and is_name(name) else ("", typed)


def compared(kind: ComparedKind, options: Mapping[str, tuple[str, ...]], *, alone: bool = False) -> dict[str, str]:
    """The texts by name; the baseline is first.

    Args:
        alone: whether the baseline is enough.
    Raises:
        WrongUse: one is missing, or has no name or another's.
    """
    if not options.get(BASELINE):
        raise WrongUse(f"no {kind.word} was given", kind.usage)
    texts = {BASELINE: options[BASELINE][0]}
    for typed in options.get(TREATMENT, ()):
        name, text = split_name(typed)
        if not name:
            typed_name, separator, _ = typed.partition("=")
            if separator and not kind.private and not re.search(r"\s", typed_name):
                hint = f"use letters, digits and _ . + - only, as in --treatment {as_name(typed_name)}={kind.example}"
                raise WrongUse(f"--treatment {typed_name!r} cannot be a name", hint)
            what = "a --treatment" if kind.private else f"--treatment {typed!r}"
            raise WrongUse(f"{what} has no name", f"say --treatment NAME={kind.example}")
        if name in texts:
            raise WrongUse(f"two {kind.word}s are called {name!r}", f"give every {kind.word} a name of its own")
        texts[name] = text
    if len(texts) == 1 and not alone:
        raise WrongUse(f"one {kind.word} has nothing to be compared with", f"add another: {kind.usage}")
    return texts


def with_bare(
    bare: Sequence[str], options: Mapping[str, tuple[str, ...]], called: Callable[[str], str]
) -> dict[str, tuple[str, ...]]:
    """The options with texts that were given without names: the first is the baseline, where none was named.

    Args:
        called: what the name of a text is made of.
    """
    texts, completed = list(bare), dict(options)
    if texts and not completed.get(BASELINE):
        completed[BASELINE] = (texts.pop(0),)
    names = [typed.partition("=")[0] for typed in completed.get(TREATMENT, ())]
    for text in texts:
        name = as_name(called(text))[:_LONGEST_NAME].rstrip("-_.+")
        twice = sum(label == name or label.startswith(f"{name}-") for label in names)
        names.append(f"{name}-{twice + 1}" if twice else name)
        completed[TREATMENT] = (*completed.get(TREATMENT, ()), f"{names[-1]}={text}")
    return completed


def for_each(
    kind: ComparedKind,
    option: str,
    texts: Sequence[str],
    names: Sequence[str],
    unnamed: Sequence[str] = (),
    *,
    any_text: bool = False,
) -> list[tuple[str, str]]:
    """Every name with a value for it: `NAME=VALUE` is for one of them, any other for all.

    Args:
        unnamed: for which a value without a name is, where that is not all of them.
        any_text: whether a value may begin as a name does, as `VARIABLE=1 CMD`.
    Raises:
        WrongUse: nothing is called so.
    """
    pairs = []
    for text in texts:
        name, value = split_name(text)
        if name and name not in names and not any_text:
            raise WrongUse(f"--{option}: there is no {kind.word} {name!r}", did_you_mean(name, names))
        pairs += [(name, value)] if name in names else [(target, text) for target in unnamed or names]
    return pairs


def one_each(option: str, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The one value for each name. Raises `WrongUse` where there are two."""
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise WrongUse(f"two --{option} are for {name!r}", f"give one, or one for each: --{option} NAME=…")
        values[name] = value
    return values
