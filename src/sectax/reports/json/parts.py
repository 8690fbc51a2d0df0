"""Base types of the JSON documents, which define schemas and explain nulls."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Self, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta

from sectax.reports.reasons import NO_INTERVAL

NOT_GIVEN = "not given"
UNKNOWN = "unknown"


def doc(description: str | None = None, /, *, at: str | None = None) -> Meta:
    """The description of a member.

    Args:
        at: the path of its value in the model, such as `metric.name`, if not its own name; "" for the model itself.
            Attributes of None are None.
    """
    return Meta(description=description, extra=None if at is None else {"at": at})


def null(reason: str, description: str | None = None, *, at: str | None = None, when: object = None) -> Meta:
    """The description of a member that may be null, and the reason if it is.

    Args:
        at: see `doc`.
        when: a value of the model that becomes null, in addition to None.
    """
    return Meta(description=description, extra={"null": reason, "when": when} | ({} if at is None else {"at": at}))


class Object(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object; docs/generate_schemas.py makes schemas of these classes."""

    @classmethod
    def of(cls, source: Any, /) -> Self:
        """Make the object of a value of the model."""
        return fill(cls, source)


class WithMissing(Object, frozen=True, kw_only=True):
    """An object with members that may be null."""

    missing: Annotated[dict[str, str], doc("For every member that is null, the reason.")]


Levels = Annotated[dict[str, str], doc("Factor -> level.")]
ObjectT = TypeVar("ObjectT", bound=Object)


@dataclass(frozen=True)
class MissingValue:
    """A missing value with its reason."""

    reason: str


def known(value: Any, reason: str) -> Any:
    """The value, or `MissingValue` for None."""
    return MissingValue(reason) if value is None else value


def fill(kind: type[ObjectT], source: object = None, /, **values: Any) -> ObjectT:
    """Make an object with members from *values*, or else from *source*.

    A tuple as *source* has the members in order. Nested objects, also in tuples and dicts, are made by `of`. A
    `MissingValue`, None for a member with a `null` description, and numbers that are not finite become null and are
    explained in `missing`. Members that are `UNSET` are left out.
    """
    makers = _members(kind)
    values |= zip(makers, source, strict=True) if isinstance(source, tuple) else ()
    members: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, (make, extra) in makers.items():
        value = values.pop(name) if name in values else _read_path(source, extra.get("at", name))
        if value is msgspec.UNSET:
            continue
        if "null" in extra and (value is None or value == extra["when"]):
            missing[name] = str(extra["null"])
        elif isinstance(value, MissingValue):
            missing[name] = value.reason
        elif isinstance(value, float) and not math.isfinite(value):
            missing[name] = NO_INTERVAL if math.isinf(value) else "not a number"
        members[name] = None if value is None or name in missing else make(value)
    assert not values, f"{kind.__name__} has no {', '.join(values)}"
    if issubclass(kind, WithMissing):
        members["missing"] = missing
    return kind(**members)


def _read_path(source: Any, path: str) -> Any:
    for name in path.split(".") if path else ():
        source = None if source is None else getattr(source, name)
    return source


@functools.cache
def _members(kind: type[Object]) -> dict[str, tuple[Callable[[Any], Any], dict[str, Any]]]:
    """For every member but `missing`: its constructor and its metadata."""
    members = {}
    for field in msgspec.structs.fields(kind):
        metas = get_args(field.type)[1:] if get_origin(field.type) is Annotated else ()
        extra = next((meta.extra for meta in metas if isinstance(meta, Meta) and meta.extra), {})
        members[field.name] = _maker(field.type), extra
    members.pop("missing", None)
    return members


def _maker(type_: Any) -> Callable[[Any], Any]:
    origin, parts = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return _maker(parts[0])
    if origin is UnionType:
        return _maker(next(part for part in parts if part is not type(None)))
    if origin is dict:
        make = _maker(parts[1])
        return lambda value: {name: make(item) for name, item in value.items()}
    if origin is tuple and parts[-1] is Ellipsis:
        make = _maker(parts[0])
        return lambda value: tuple(map(make, value))
    if isinstance(type_, type) and issubclass(type_, Object):
        return lambda value: value if isinstance(value, type_) else type_.of(value)
    return lambda value: value


def encoded(document: Object) -> bytes:
    """The document as indented UTF-8; lone surrogates of file names are escaped."""
    # msgspec does not support numpy's floats.
    plain = msgspec.to_builtins(document, enc_hook=lambda number: number.item())
    return msgspec.json.format(msgspec.json.encode(_without_surrogates(plain)), indent=2) + b"\n"


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(item) for item in value]
    return value
