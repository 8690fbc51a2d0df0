"""What names of benchmarks say: their levels, as `Sum/hash=plain/size=64B`."""

from __future__ import annotations


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
