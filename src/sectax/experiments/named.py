"""Subjects that the user names: a baseline, treatments, and options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sectax.experiments.levels import make_name
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

BASELINE, TREATMENT = "baseline", "treatment"
# The folder of relative paths. sectax sets and records it, so that a run can be resumed from another folder.
FOLDER = "folder"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_LONGEST_NAME = 24


@dataclass(frozen=True)
class ComparedKind:
    """The words for the compared subjects in messages.

    Attributes:
        word: the noun for one. example: its placeholder, as in URL. usage: how to give two.
        private: whether its text may contain a secret, so that no message repeats it.
    """

    word: str
    example: str
    usage: str
    private: bool = False


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def split_name(typed: str) -> tuple[str, str]:
    """Split `NAME=TEXT`; the name is empty if there is none."""
    name, separator, text = typed.partition("=")
    return (name, text) if separator and is_name(name) else ("", typed)


def named_texts(kind: ComparedKind, options: Mapping[str, tuple[str, ...]], *, alone: bool = False) -> dict[str, str]:
    """Return the texts by name, the baseline first.

    Args:
        alone: whether a baseline without treatments is valid.
    Raises:
        WrongUse: a text is missing, has no name, or a duplicate name.
    """
    if not options.get(BASELINE):
        raise WrongUse(f"no {kind.word} was given", kind.usage)
    texts = {BASELINE: options[BASELINE][0]}
    for typed in options.get(TREATMENT, ()):
        name, text = split_name(typed)
        if not name:
            typed_name, separator, _ = typed.partition("=")
            if separator and not kind.private and not re.search(r"\s", typed_name):
                hint = f"use letters, digits and _ . + - only, as in --treatment {make_name(typed_name)}={kind.example}"
                raise WrongUse(f"--treatment {typed_name!r} cannot be a name", hint)
            what = "a --treatment" if kind.private else f"--treatment {typed!r}"
            raise WrongUse(f"{what} has no name", f"use --treatment NAME={kind.example}")
        if name in texts:
            raise WrongUse(f"two {kind.word}s have the name {name!r}", f"give each {kind.word} its own name")
        texts[name] = text
    if len(texts) == 1 and not alone:
        raise WrongUse(f"only one {kind.word}: nothing to compare", f"add another: {kind.usage}")
    return texts


def add_unnamed(
    bare: Sequence[str], options: Mapping[str, tuple[str, ...]], called: Callable[[str], str]
) -> dict[str, tuple[str, ...]]:
    """Add texts without names; the first is the baseline if none is named.

    Args:
        called: text -> the words that its name is made from.
    """
    texts, completed = list(bare), dict(options)
    if texts and not completed.get(BASELINE):
        completed[BASELINE] = (texts.pop(0),)
    names = [typed.partition("=")[0] for typed in completed.get(TREATMENT, ())]
    for text in texts:
        name = make_name(called(text))[:_LONGEST_NAME].rstrip("-_.+")
        twice = sum(label == name or label.startswith(f"{name}-") for label in names)
        names.append(f"{name}-{twice + 1}" if twice else name)
        completed[TREATMENT] = (*completed.get(TREATMENT, ()), f"{names[-1]}={text}")
    return completed


def pair_by_name(
    kind: ComparedKind,
    option: str,
    texts: Sequence[str],
    names: Sequence[str],
    unnamed: Sequence[str] = (),
    *,
    any_text: bool = False,
) -> list[tuple[str, str]]:
    """Pair names with values: `NAME=VALUE` is for one name, `VALUE` for all.

    Args:
        unnamed: the names that a value without a name is for; empty for all.
        any_text: whether a value may look like `NAME=VALUE`, as `VARIABLE=1 CMD`.
    Raises:
        WrongUse: an unknown name.
    """
    pairs = []
    for text in texts:
        name, value = split_name(text)
        if name and name not in names and not any_text:
            raise WrongUse(f"--{option}: there is no {kind.word} {name!r}", did_you_mean(name, names))
        pairs += [(name, value)] if name in names else [(target, text) for target in unnamed or names]
    return pairs


def values_by_name(option: str, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the value for each name. Raises `WrongUse` for two values of one name."""
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise WrongUse(f"--{option} is given twice for {name!r}", f"give one value per name: --{option} NAME=…")
        values[name] = value
    return values
