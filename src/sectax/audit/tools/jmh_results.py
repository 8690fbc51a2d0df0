"""Results of JMH, whether its log, its table or its JSON has them: numbers by their unit, and what must fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sectax.audit.form import Cold, Quantity, Trouble, TroubleKind
from sectax.audit.reading.grammar import Promise, Record
from sectax.audit.reading.printed import Number, read
from sectax.formats.numbers import SECONDS

_TIME = r"(?:[nmu]?s(?:ec)?|min)"
UNIT = rf"(?:{_TIME}/op|ops/{_TIME})"
_PER = re.compile(rf"(?:({_TIME})/op|ops/({_TIME}))$")
_SECONDS = SECONDS | {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0, "min": 60.0}
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_ROUGH = re.compile(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})$")
# With these nothing is as fast as it will be in use.
SLOW = r"-Xint\b|-Xcomp\b|-XX:TieredStopAtLevel=[0-3]\b|-agentlib:jdwp|-Xrunjdwp|-Xdebug\b|-javaagent:\S{0,400}jacoco"
PROMISES = (
    Promise("row_score = score"),
    Promise("planned * forks = given", within=0.0, fatal=False),
)
QUANTITIES = {"throughput": Quantity.RATE}
Printed = str | float


def number(text: Printed, unit: str) -> Number | None:
    """A score in its unit; as text with three digits behind the point, which is a comma in half of the world."""
    per = _PER.match(unit)
    if isinstance(text, float | int):
        plain = Number(float(text))
    elif rough := _ROUGH.match(text):
        power = 10.0 ** int(rough[1].translate(_SUPERSCRIPTS))
        plain = Number(power, power)
    else:
        plain = read("n", text.replace(",", "."))  # type: ignore[assignment]
    if per is None or plain is None:
        return None
    scale = _SECONDS[per[1]] if per[1] else 1 / _SECONDS[per[2]]
    return Number(plain.value * scale, plain.step * scale, "s" if per[1] else "1")


def fill(
    record: Record, unit: str, forks: Sequence[Iterable[Printed]], claims: Iterable[tuple[str, Printed | None]]
) -> None:
    """Put iterations, fork by fork, and summaries into a record; a name with a dot before it is of the metric."""
    metric = "throughput" if unit.startswith("ops") else "time"
    of_forks = [[found for value in fork if (found := number(value, unit)) is not None] for fork in forks]
    every = [value for fork in of_forks for value in fork]
    if every:
        record.fields |= {f"{metric}.values": [*every], "given": [Number(float(len(every)))], "replicate": ["process"]}
        record.fields["replicates"] = [Number(float(len(of_forks)))]
        record.fields["per_replicate"] = [tuple(map(len, of_forks))]  # type: ignore[list-item]
    for name, text in claims:
        if text is not None and (found := number(text, unit)) is not None:
            record.add(f"{metric}{name}" if name.startswith(".") else name, found)


def name(record: Record, benchmark: str, parameters: Mapping[str, str], mode: str) -> None:
    levels = {"benchmark": benchmark, **parameters, "mode": mode}
    record.fields |= {f"level.{factor}": [level] for factor, level in levels.items()}
    record.fields["name"] = [", ".join([benchmark, *(f"{key}={value}" for key, value in parameters.items()), mode])]


def set_up(record: Record, mode: str, warmups: str | None, forks: str | None) -> None:
    """Whether it was warmed up and forked, of which single shots need neither."""
    count = re.match(r"\d{1,9}", "0" if warmups == "<none>" else warmups or "")
    if count is not None and int(count[0]):
        record.fields["cold"] = [Cold.APART]
    if mode != "ss" and ((count is not None and not int(count[0])) or (forks or "1")[0] in "0N"):
        told = f"warm-up iterations {warmups}, forks {forks}"
        record.troubles.append(Trouble(TroubleKind.WARNED, record.line, told))
