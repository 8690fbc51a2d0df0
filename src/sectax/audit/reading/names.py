"""What names of benchmarks say: their levels, as `Sum/hash=plain/size=64B`, and whether an operation moves a body."""

from __future__ import annotations

import re

from sectax.audit.form import Moves

_MOVES = {
    Moves.BODY: re.compile(r"(?i)(?:get|put|read|write|upload|download|copy|encrypt|decrypt|hash)(?:$|[\W_])"),
    Moves.METADATA: re.compile(r"(?i)(?:head|stat|delete|list)(?:$|[\W_])"),
}


def moves_of(operation: str) -> Moves | None:
    """Whether an operation that begins so carries a body; None where its name does not say it."""
    return next((moves for moves, names in _MOVES.items() if names.match(operation)), None)


def levels_in(name: str) -> dict[str, str]:
    """Factor -> level, of a name whose parts are separated by strokes.

    `key=value` is a factor of that name; other parts are `part 1`, `part 2`. The whole name alone is `name`.
    """
    parts = [part for part in name.split("/") if part]
    levels: dict[str, str] = {}
    for at, part in enumerate(parts):
        key, equals, value = part.partition("=")
        if equals and key and value:
            levels[key] = value
        elif at == 0:
            levels["name"] = part
        else:
            levels[f"part {at}"] = part
    return levels or {"name": name}
