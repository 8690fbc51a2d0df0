"""What this probe has: operations, and the libraries that do the work."""

from __future__ import annotations

from collections.abc import Mapping

from sectax_probe import libraries, primitives, tokens
from sectax_probe.kit.conversation import Probe
from sectax_probe.kit.timing import Operation


def prepare(operation: str, parameters: Mapping[str, str], inputs: Mapping[str, str]) -> Operation:
    family = primitives.prepare if operation in primitives.OPERATIONS else tokens.prepare
    try:
        return family(operation, parameters, inputs)
    except ImportError as error:
        raise libraries.missing(error) from error


OPERATIONS = {"sign": tokens.PARAMETERS, "verify": tokens.PARAMETERS, **primitives.OPERATIONS}
PROBE = Probe("python", "1", libraries.installed, OPERATIONS, prepare)
