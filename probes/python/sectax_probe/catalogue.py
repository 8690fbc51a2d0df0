"""What this probe offers, and the way from the names in a request to an operation."""

from __future__ import annotations

from collections.abc import Mapping

from sectax_probe import libraries, operation, primitives
from sectax_probe.algorithms import ALGORITHMS
from sectax_probe.answers import Failed, Skipped
from sectax_probe.jose import Malformed
from sectax_probe.operation import Operation
from sectax_probe.treatment import Treatment

_PARAMETERS = {
    "algorithm": list(ALGORITHMS),
    "key_use": ["parsed-once", "parsed-per-call"],
    "layer": ["primitive", "library"],
}
OPERATIONS: list[dict[str, object]] = [
    {"name": "empty", "parameters": {}},
    {"name": "sign", "parameters": _PARAMETERS},
    {"name": "verify", "parameters": _PARAMETERS},
    *primitives.OPERATIONS,
]


def prepare(name: str, parameters: Mapping[str, str], inputs: Mapping[str, str]) -> Operation:
    """Make the operation *name* ready.

    Raises:
        Failed: an unknown name, a parameter that is unknown or missing, inputs that do not fit.
        Skipped: this combination does not exist, or a library is missing.
    """
    if name == "empty":
        _check(parameters, {})
        return operation.empty()
    if name in primitives.PARAMETERS:
        return primitives.prepare(name, parameters, inputs)
    if name not in ("sign", "verify"):
        known = ", ".join(str(operation["name"]) for operation in OPERATIONS)
        raise Failed(f"unknown operation {name[:40]!r}; known: {known}")
    _check(parameters, _PARAMETERS)
    treatment = Treatment(
        algorithm=ALGORITHMS[parameters["algorithm"]],
        per_call=parameters["key_use"] == "parsed-per-call",
        inputs=inputs,
    )
    try:
        return _prepare(name, parameters["layer"], treatment)
    except ImportError as error:
        raise libraries.missing(error) from error
    except Malformed as error:
        raise Failed(f"an input is malformed: {error}") from error


def _prepare(name: str, layer: str, treatment: Treatment) -> Operation:
    """Import no more than the layer that is asked for."""
    if layer == "primitive":
        from sectax_probe.primitive import prepare as primitive

        return primitive.sign(treatment) if name == "sign" else primitive.verify(treatment)
    from sectax_probe import library

    return library.sign(treatment) if name == "sign" else library.verify(treatment)


def _check(parameters: Mapping[str, str], known: Mapping[str, list[str]]) -> None:
    """A parameter passed over in silence would be a mislabelled measurement."""
    for name, value in parameters.items():
        if name not in known:
            raise Failed(f"unknown parameter {name[:40]!r}")
        if value not in known[name]:
            if name == "algorithm":  # others may have it
                raise Skipped("not in cryptography")
            raise Failed(f"unknown {name} {value[:40]!r}: {', '.join(known[name])} are known")
    for name in known:
        if name not in parameters:
            raise Failed(f"the parameter {name!r} is missing")
