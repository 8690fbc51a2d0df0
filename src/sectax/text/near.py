"""The hint behind a word that does not exist: the nearest one that does."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.text.printable import printable

# Looser than difflib's own 0.6: people shorten names ('conf-vm'), and a wrong guess costs them only a glance.
_LEAST_LIKENESS = 0.55
# What people call some, though no letter is alike or another name is nearer.
_ALSO_CALLED = {"javascript": "node", "js": "node", "golang": "go", "ram": "memory"}


def did_you_mean(word: str, there_are: Iterable[str], otherwise: str | None = None) -> str:
    """A hint such as `did you mean jwt? there are: hmac, jwt`.

    Args:
        word: what was typed; upper and lower case count as the same.
        there_are: the names that exist.
        otherwise: stands in place of the list of all names.
    """
    # Only a mistake needs it, and most calls of the program make none.
    import difflib

    names = tuple(there_are)
    folded = {name.lower(): name for name in names}
    wanted = also_called(word)
    wanted = wanted if wanted in folded else word.lower()
    near = difflib.get_close_matches(wanted, tuple(folded), n=1, cutoff=_LEAST_LIKENESS)
    listing = f"there are: {', '.join(map(printable, names))}" if otherwise is None else otherwise
    return f"did you mean {printable(folded[near[0]])}? {listing}".rstrip() if near else listing


def also_called(word: str) -> str:
    """What it is called here, in lower case; the word itself where people have no other for it."""
    return _ALSO_CALLED.get(word.lower(), word.lower())
