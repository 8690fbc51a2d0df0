"""Two sides that differ in more than what is compared."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import EVERYTHING, sides
from sectax.model.finding import Severity, Warning

# Attributes of the circumstances, and how they are called.
_ALWAYS = {"processor": "processor", "runtime": "runtime"}
# These may have no meaning for what is measured, so that their lack is no lack.
_WHERE_TOLD = {"library": "library", "size_bytes": "object size", "key_bits": "key bits"}


def _examine(evidence: Evidence) -> Iterator[Warning]:
    contrast = evidence.contrast
    if contrast is None:
        return
    found: dict[tuple[str, str], list[Figure]] = {}
    silent = set()
    for group in sides(evidence):
        for attribute, name in (_ALWAYS | _WHERE_TOLD).items():
            if attribute in contrast.entails:
                continue
            values = [getattr(figure.circumstances, attribute) for figure in group]
            told = {value for value in values if value is not None}
            if len(told) > 1:
                tables = " against ".join(dict.fromkeys(figure.table for figure in group))
                found.setdefault((attribute, tables), []).extend(group)
            elif None in values and (attribute in _ALWAYS or told):
                silent.add(name)
    for (attribute, tables), figures in found.items():
        of = "; ".join(
            f"{figure.levels[contrast.factor]}: {value}"
            for figure in {figure.levels[contrast.factor]: figure for figure in reversed(figures)}.values()
            if (value := getattr(figure.circumstances, attribute)) is not None
        )
        yield Warning(
            APPLES_AND_ORANGES.id,
            Severity.FATAL,
            tables,
            f"the sides differ in {(_ALWAYS | _WHERE_TOLD)[attribute]} ({of}), which is not what is compared",
            "the difference has two causes, and the figures cannot tell them apart",
            "make it the same on both sides; or compare the effects inside each of them",
        )
    if silent:
        names = [name for name in (_ALWAYS | _WHERE_TOLD).values() if name in silent]
        missing = f"{' and '.join(names)} of the sides {'are' if len(names) > 1 else 'is'} not told"
        yield cannot_be_checked(APPLES_AND_ORANGES.id, EVERYTHING, missing)


APPLES_AND_ORANGES = Check(
    id="apples-and-oranges",
    rule="F: what is compared differs in processor, runtime, library, object size or key bits besides",
    applies=lambda evidence: any(True for _ in sides(evidence)),
    examine=_examine,
)
