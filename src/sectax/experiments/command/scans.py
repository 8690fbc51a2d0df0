"""Scans (`-L size=1,6,9` replaces `{size}`), and shell syntax in commands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

_NAME = re.compile(r"[A-Za-z_]\w*")
# `{size}`, and `{{size}}` for a literal `{size}`.
_PLACEHOLDER = re.compile(r"\{(?P<open>\{)?(?P<name>[A-Za-z_]\w*)\}(?(open)\})")
_AS_IN = "as in -L size=1,6,9"


def read_scans(texts: Iterable[str], reserved: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Parse scans, in order. Raises `WrongUse`.

    Args:
        reserved: names of other factors.
    """
    scans: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, separator, values = text.partition("=")
        levels = tuple(value.strip() for value in values.split(","))
        if not separator or not _NAME.fullmatch(name) or not all(levels):
            raise WrongUse(f"-L {text!r} is not NAME=A,B", _AS_IN)
        if name in scans or name in reserved:
            raise WrongUse(f"-L {name}: this name is taken", "give every placeholder a different name")
        duplicate = next((level for level in levels if levels.count(level) > 1), None)
        if duplicate is not None:
            raise WrongUse(f"-L {name} has {duplicate} twice", "give every value once")
        scans[name] = levels
    ambiguous = next((value for values in scans.values() for value in values if "/" in value), None)
    if len(scans) > 1 and ambiguous is not None:
        raise WrongUse(f"-L: {ambiguous!r} has a /, which several scans cannot have", "remove the / from the values")
    return scans


def fill(text: str, values: Mapping[str, str], what: str) -> str:
    """Replace placeholders by values, if there are any scans. Raises `WrongUse`."""
    if not values:
        return text

    def value(match: re.Match[str]) -> str:
        name = match["name"]
        if match["open"]:
            return f"{{{name}}}"
        if name not in values:
            hint = f"{did_you_mean(name, values)}; write {{{{{name}}}}} for a literal"
            raise WrongUse(f"{what} has the placeholder {{{name}}}, but there is no -L {name}", hint)
        return values[name]

    return _PLACEHOLDER.sub(value, text)


def refuse_unused(scans: Iterable[str], texts: Iterable[str]) -> None:
    """Raise `WrongUse` if no command has the placeholder of a scan."""
    used = {match["name"] for text in texts for match in _PLACEHOLDER.finditer(text) if not match["open"]}
    for name in scans:
        if name not in used:
            raise WrongUse(f"-L {name}: no command has {{{name}}}", f"write {{{name}}} in place of the value")


def refuse_placeholders(what: str, text: str, scans: Iterable[str]) -> None:
    """Raise `WrongUse` for a placeholder in a command that runs once for all values."""
    for match in _PLACEHOLDER.finditer(text):
        if not match["open"] and match["name"] in set(scans):
            reason = f"{what} has {{{match['name']}}}, but runs once for all its values"
            raise WrongUse(reason, "use --prepare, which runs before every execution with its value")


_OPERATORS = re.compile(r"&&|\|\||;;|<<|>>|\$\(|[|&;<>()\n]")
_VARIABLE = re.compile(r"\$(?:\w+|\{|\(|[?#@*!$-])")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_GLOB = re.compile(r"[*?]|\[[^\]]+\]")
_HOME = re.compile(r"~[\w.+-]*(?:/|$)")


@dataclass(frozen=True)
class _Piece:
    """Characters of a word with the same quote; '' is unquoted."""

    text: str
    quote: str


def shell_syntax(text: str) -> str | None:
    """First part of a command that only a shell would interpret, or None.

    Quotes protect as in a shell: single quotes everything, double quotes all but `$` and the backquote, a backslash
    the next character.
    """
    for index, word in enumerate(_words(text.strip())):
        syntax = _word_syntax(word, first=index == 0)
        if syntax is not None:
            return syntax
    return None


def _word_syntax(word: list[_Piece], *, first: bool) -> str | None:
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
    match = _OPERATORS.search(bare) or _GLOB.search(bare)
    return match[0] if match else None


def _words(text: str) -> Iterator[list[_Piece]]:
    """Words of a command, as pieces. An unbalanced quote extends to the end."""
    word: list[_Piece] = []
    quote, text_so_far = "", ""
    characters = iter(text)
    for character in characters:
        if character == "\\" and quote != "'":
            word += [_Piece(text_so_far, quote), _Piece(next(characters, ""), "\\")]
            text_so_far = ""
        elif character == quote or (not quote and character in "'\""):
            word.append(_Piece(text_so_far, quote))
            quote, text_so_far = ("" if quote else character), ""
        elif character in " \t" and not quote:
            yield from _whole([*word, _Piece(text_so_far, "")])
            word, text_so_far = [], ""
        else:
            text_so_far += character
    yield from _whole([*word, _Piece(text_so_far, quote)])


def _whole(word: list[_Piece]) -> Iterator[list[_Piece]]:
    pieces = [piece for piece in word if piece.text]
    if pieces:
        yield pieces
