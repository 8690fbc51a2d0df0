"""Hints for misspelt names: the nearest existing one."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.text.printable import printable

# Looser than difflib's own 0.6: users shorten names ('conf-vm'), and a wrong guess costs little.
_LEAST_LIKENESS = 0.55
# Common other names, which share no letters or are nearer to another name.
_ALSO_CALLED = {"javascript": "node", "js": "node", "golang": "go", "ram": "memory"}


def did_you_mean(word: str, there_are: Iterable[str], otherwise: str | None = None) -> str:
    """A hint such as `did you mean jwt? there are: hmac, jwt`.

    Args:
        word: what was typed; case is ignored.
        there_are: existing names.
        otherwise: text instead of the list of all names.
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
    """The name used here, in lower case, or the word itself."""
    return _ALSO_CALLED.get(word.lower(), word.lower())
