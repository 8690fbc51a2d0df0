"""Labels that contradict themselves: a curve that is named has a size, whatever size is written beside it."""

from __future__ import annotations

from sectax.model.curves import contradiction
from sectax.model.published import PublishedFactor, PublishedLevel, Remark

MISLABELLED = "mislabelled-level"


def remarks(factor: PublishedFactor) -> list[Remark]:
    """What must be known before the labels of a factor are used."""
    return [remark for level in factor.levels if (remark := mislabelled(level)) is not None]


def mislabelled(level: PublishedLevel) -> Remark | None:
    """A remark where the size that a label states is not that of the curve that it, or a fact about it, names."""
    curve = level.facts.get("curve")
    text = contradiction(level.label, str(curve.value) if curve is not None and curve.value is not None else None)
    return None if text is None else Remark(MISLABELLED, level.label, text)
