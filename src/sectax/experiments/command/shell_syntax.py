"""Finds what only a shell would understand in a command that is started without one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPERATORS = re.compile(r"&&|\|\||;;|<<|>>|\$\(|[|&;<>()\n]")
_VARIABLE = re.compile(r"\$(?:\w+|\{|\(|[?#@*!$-])")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_GLOB = re.compile(r"[*?]|\[[^\]]+\]")
_HOME = re.compile(r"~[\w.+-]*(?:/|$)")


@dataclass(frozen=True)
class _Piece:
    """A run of characters of one word that are quoted alike: '' for not at all, or the quote."""

    text: str
    quote: str


def shell_syntax(text: str) -> str | None:
    """The first part of a command that a shell would act on, and that would be passed on as it stands without one.

    Quoted parts are left alone, as a shell leaves them: single quotes protect everything, double quotes all but
    `$` and the backquote, a backslash the next character.
    """
    for place, word in enumerate(_words(text.strip())):
        found = _in_word(word, first=place == 0)
        if found is not None:
            return found
    return None


def _in_word(word: list[_Piece], *, first: bool) -> str | None:
    bare = "".join(piece.text if not piece.quote else "\0" for piece in word)
    if word[0].quote == "":
        if first and (assigned := _ASSIGNMENT.match(bare)):
            return assigned[0]
        if bare.startswith("#") or _HOME.match(bare):
            return bare[0]
    for piece in word:
        if piece.quote in ("", '"') and "`" in piece.text:
            return "`"
        if piece.quote in ("", '"') and (variable := _VARIABLE.search(piece.text)):
            return variable[0]
    found = _OPERATORS.search(bare) or _GLOB.search(bare)
    return found[0] if found else None


def _words(text: str) -> Iterator[list[_Piece]]:
    """The words of a command, each as its pieces. An unbalanced quote lasts to the end."""
    word: list[_Piece] = []
    quote, taken = "", ""
    characters = iter(text)
    for character in characters:
        if character == "\\" and quote != "'":
            word += [_Piece(taken, quote), _Piece(next(characters, ""), "\\")]
            taken = ""
        elif character == quote or (not quote and character in "'\""):
            word.append(_Piece(taken, quote))
            quote, taken = ("" if quote else character), ""
        elif character in " \t" and not quote:
            yield from _whole([*word, _Piece(taken, "")])
            word, taken = [], ""
        else:
            taken += character
    yield from _whole([*word, _Piece(taken, quote)])


def _whole(word: list[_Piece]) -> Iterator[list[_Piece]]:
    pieces = [piece for piece in word if piece.text]
    if pieces:
        yield pieces
