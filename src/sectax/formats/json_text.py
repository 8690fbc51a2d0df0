"""Reads JSON text into declared types; errors name the place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeVar

import msgspec

from sectax.formats.bad_input import BadInput

T = TypeVar("T")

# No float has more digits.
_MOST_DIGITS = 300


def read(lines: Iterable[str], shape: type[T], tool: str) -> T:
    """Read the single document of a text.

    Raises:
        BadInput: truncated, followed by something else, nested too deeply, or of another shape.
    """
    try:
        return msgspec.convert(json.loads("\n".join(lines), parse_constant=_refuse, parse_int=_integer), shape)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"this is not JSON: {error.msg}", "is the file whole?", line=error.lineno, column=error.colno
        ) from error
    except msgspec.ValidationError as error:
        raise BadInput(f"this is JSON, but not as {tool} writes it: {error}") from error
    except RecursionError as error:
        raise BadInput("this JSON is nested too deeply") from error


def _refuse(constant: str) -> NoReturn:
    raise BadInput(f"{constant} is not a finite number", "every value must be a finite number")


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise BadInput(f"it has an integer of {len(digits)} digits", "is it the output of a tool?")
    return int(digits)


def whole(value: Any) -> int | None:
    """A count from facts of any type, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53 else None


def text(facts: Mapping[str, object], *names: str) -> str | None:
    """The texts of these names from facts of any type, joined; None without any."""
    return " ".join(value for name in names if isinstance(value := facts.get(name), str) and value) or None
