"""Checks what a tool promises of its own numbers, with the room that their printed digits leave.

Every number is an interval of one step to each side (tools round, and some cut off); a promise is broken where no
numbers in the intervals could fulfil it.
"""

from __future__ import annotations

import ast
import operator
from functools import lru_cache

from sectax.audit.form import Broken
from sectax.audit.reading.grammar import Promise, Record

Interval = tuple[float, float]
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_text_of = lru_cache(maxsize=256)(ast.unparse)


def broken(promise: Promise, record: Record, run: str) -> Broken | None:
    """What breaks a promise in a record; None where it holds, or a number of it was not printed."""
    sign = "<=" if "<=" in promise.relation else "="
    left, right = (_value(_parsed(side), record) for side in promise.relation.split(sign))
    if left is None or right is None:
        return None
    room = promise.within * max(map(abs, (*left, *right)))
    if left[0] - right[1] > room or (sign == "=" and right[0] - left[1] > room):
        return Broken(promise.relation, sum(left) / 2, sum(right) / 2, run, promise.fatal)
    return None


@lru_cache(maxsize=256)
def _parsed(side: str) -> ast.expr:
    return ast.parse(side.strip(), mode="eval").body


def _value(node: ast.expr, record: Record) -> Interval | None:
    match node:
        case ast.Constant(value=value) if isinstance(value, int | float):
            return float(value), float(value)
        case ast.Name() | ast.Attribute():
            number = record.number(_text_of(node))
            return None if number is None else (number.value - number.step, number.value + number.step)
        case ast.Call(func=ast.Name(id="sum"), args=[argument]):
            numbers = record.numbers(_text_of(argument))
            least, most = (sum(one.value + way * one.step for one in numbers) for way in (-1, 1))
            return (least, most) if numbers else None
        case ast.BinOp(left=left, op=sign, right=right):
            one, other = _value(left, record), _value(right, record)
            if one is None or other is None or (isinstance(sign, ast.Div) and other[0] <= 0):
                return None
            ends = [_SIGNS[type(sign)](x, y) for x in one for y in other]
            return min(ends), max(ends)
    raise ValueError(f"{ast.unparse(node)} is not understood in a relation")
