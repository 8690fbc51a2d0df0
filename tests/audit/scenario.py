"""Made-up evidence for a check: variants that must fire, and clean twins that must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import Severity

Make = Callable[[np.random.Generator, bool], RunEvidence]


@dataclass(frozen=True)
class Scenario:
    """One way in which evidence goes wrong.

    Attributes:
        check: id of the check that must find it.
        name: what is wrong, in a few words; unique among the scenarios of a check.
        make: (generator, broken) -> evidence, drawn again each time; with `broken` False its clean twin, in which
            nothing at all is wrong.
        severity: how grave the check must find it.
    """

    check: str
    name: str
    make: Make
    severity: Severity = Severity.FATAL
