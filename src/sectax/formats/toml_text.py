"""Reads TOML of limited size and depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sectax.formats.bad_input import BadInput

_MOST_CHARACTERS = 2**18
_DEEPEST = 20
# tomllib takes quadratic time for keys such as a.a.a.a: 9 s for 64 KB.
_MOST_DOTS = 1000


def read(path: Path) -> dict[str, Any]:
    """Read a file. Raises `BadInput`, and `OSError` where it cannot be read."""
    return parse(read_text(path))


def read_text(path: Path) -> str:
    """Read a text, of one too long the beginning. Raises `BadInput` and `OSError`."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(_MOST_CHARACTERS + 1)
    except UnicodeDecodeError as error:
        raise BadInput(f"it is not UTF-8: {error}") from error


def parse(text: str) -> dict[str, Any]:
    """Parse a text. Raises `BadInput`."""
    import tomllib  # many commands read no TOML

    if len(text) > _MOST_CHARACTERS:
        raise BadInput(f"it has over {_MOST_CHARACTERS >> 10} KiB")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS:
            raise BadInput(f"over {_MOST_DOTS} dots", line=number)
    try:
        document = tomllib.loads(text)
    except RecursionError as error:
        raise BadInput("it is nested too deeply") from error
    # A number with too many digits is another ValueError than tomllib's.
    except ValueError as error:
        raise BadInput(str(error)) from error
    level: list[Any] = [document]
    for _ in range(_DEEPEST):
        level = [part for whole in level for part in _parts(whole)]
    if level:
        raise BadInput("it is nested too deeply")
    return document


def _parts(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
