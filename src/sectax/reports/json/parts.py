"""Building blocks of the documents: objects whose types are the schema, and in which every null is explained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from sectax.reports.reasons import NO_INTERVAL

NOT_ASKED = "not asked for"
NOT_KNOWN = "not known"


class Object(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object. docs/generate_schemas.py makes the schemas from these classes, their docstrings too."""


class WithGaps(Object, frozen=True, kw_only=True):
    """An object with members that may be null."""

    missing: Annotated[dict[str, str], Meta(description="For every member that is null, the reason.")]


class OfTreatment(Object, frozen=True):
    """What is said of one treatment."""

    cell: str
    treatment: str


Levels = Annotated[dict[str, str], Meta(description="Factor -> level.")]
Made = TypeVar("Made", bound=Object)


@dataclass(frozen=True)
class Missing:
    """Stands for a value that is not there, with the reason."""

    reason: str


def known(value: Any, reason: str) -> Any:
    """The value, or why there is none."""
    return Missing(reason) if value is None else value


def fill(kind: type[Made], source: object = None, /, **given: Any) -> Made:
    """An object of this kind: members are taken from *given*, and the others from the attributes of *source*.

    What is `Missing`, or a number that is not finite, becomes null and is explained in `missing`.
    """
    members: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name in kind.__struct_fields__:
        if name == "missing":
            continue
        value = given.pop(name) if name in given else getattr(source, name)
        if isinstance(value, Missing):
            missing[name] = value.reason
        elif isinstance(value, float) and not math.isfinite(value):
            missing[name] = NO_INTERVAL if math.isinf(value) else "not a number"
        members[name] = None if name in missing else value
    assert not given, f"{kind.__name__} has no {', '.join(given)}"
    if issubclass(kind, WithGaps):
        members["missing"] = missing
    return kind(**members)


def encoded(document: Object) -> bytes:
    """UTF-8, two spaces deep, with a line break at the end. Lone surrogates of odd file names are escaped."""
    # numpy's floats are floats too, but msgspec does not know them.
    plain = msgspec.to_builtins(document, enc_hook=lambda number: number.item())
    return msgspec.json.format(msgspec.json.encode(_without_surrogates(plain)), indent=2) + b"\n"


def _without_surrogates(value: Any) -> Any:
    """JSON text cannot carry them."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(each) for each in value]
    return value
