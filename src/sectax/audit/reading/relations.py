"""Checks what a tool promises of its own numbers, with the room that their printed digits leave.

Every number is an interval of one step to each side (tools round, and some cut off); a promise is broken where no
numbers in the intervals could fulfil it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from sectax.audit.form import Broken
from sectax.audit.reading.grammar import Promise, Record

Interval = tuple[float, float]


def broken(promise: Promise, record: Record, run: str) -> Broken | None:
    """What breaks a promise in a record; None where it holds, or a number of it was not printed."""
    tree = _parsed(promise.relation)
    sign = tree.ops[0]
    left, right = _value(tree.left, record), _value(tree.comparators[0], record)
    if left is None or right is None:
        return None
    room = promise.within * max(abs(left[0]), abs(left[1]), abs(right[0]), abs(right[1]))
    above, below = left[0] - right[1] > room, right[0] - left[1] > room
    fails = {ast.Eq: above or below, ast.LtE: above, ast.GtE: below}[type(sign)]
    if not fails:
        return None
    return Broken(promise.relation, sum(left) / 2, sum(right) / 2, run, record.line, promise.fatal)


@lru_cache(maxsize=256)
def _parsed(relation: str) -> ast.Compare:
    tree = ast.parse(
        relation.replace("<=", "≤").replace(">=", "≥").replace("=", "==").replace("≤", "<=").replace("≥", ">=")
    )
    comparison = tree.body[0].value  # type: ignore[attr-defined]
    if not isinstance(comparison, ast.Compare) or len(comparison.ops) != 1:
        raise ValueError(f"{relation} is no relation")
    return comparison


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else f"{_name(node.value)}.{node.attr}"  # type: ignore[attr-defined]


def _value(node: ast.expr, record: Record) -> Interval | None:
    match node:
        case ast.Constant(value=value) if isinstance(value, int | float):
            return float(value), float(value)
        case ast.Name() | ast.Attribute():
            number = record.number(_name(node))
            return None if number is None else (number.value - number.step, number.value + number.step)
        case ast.Call(func=ast.Name(id="sum"), args=[argument]):
            numbers = record.numbers(_name(argument))
            if not numbers:
                return None
            return sum(one.value - one.step for one in numbers), sum(one.value + one.step for one in numbers)
        case ast.BinOp(left=left, op=sign, right=right):
            one, other = _value(left, record), _value(right, record)
            return None if one is None or other is None else _combined(sign, one, other)
    raise ValueError(f"{ast.unparse(node)} is not understood in a relation")


def _combined(sign: ast.operator, one: Interval, other: Interval) -> Interval | None:
    if isinstance(sign, ast.Div) and other[0] <= 0:
        return None
    of: dict[type[ast.operator], Callable[[float, float], float]] = {
        ast.Add: lambda x, y: x + y,
        ast.Sub: lambda x, y: x - y,
        ast.Mult: lambda x, y: x * y,
        ast.Div: lambda x, y: x / y,
    }
    ends = [of[type(sign)](x, y) for x in one for y in other]
    return min(ends), max(ends)
