"""Cases for `sectax probe check`: all algorithms, and Wycheproof.

`wycheproof.json`, created by `scripts/wycheproof.py`, has those of AES-GCM, ChaCha20-Poly1305, AES-GCM-SIV and HMAC
without additional data and with nonces and tags of the usual length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

from sectax.experiments.primitives.algorithms import FAMILIES, MAC, OPEN, PASSWORD
from sectax.experiments.primitives.inputs import new_inputs

if TYPE_CHECKING:
    from sectax.experiments.on_probe.conformance import Case

_SIZE = "1KiB"
_SPOILED = {OPEN: "sealed", PASSWORD: "stored"}


def cases() -> list[Case]:
    return [*_primitive_cases(), *_wycheproof()]


def _primitive_cases() -> Iterator[Case]:
    from sectax.experiments.on_probe.conformance import Case
    from sectax.experiments.primitives.experiment import prepared

    keys = new_inputs()
    for family, members in FAMILIES.items():
        for algorithm in members.algorithms:
            inputs, referee = prepared({"family": family, "algorithm": algorithm, "size": _SIZE}, keys)
            spoiled = inputs | {_SPOILED[family]: referee.tampered()[0]} if family in _SPOILED else None
            yield Case(family, {"algorithm": algorithm}, inputs, referee, spoiled)


def _wycheproof() -> Iterator[Case]:
    """Yield a case per key, or per key and message (tags of a MAC)."""
    from sectax.experiments.on_probe.conformance import Case, Vectors
    from sectax.experiments.primitives.referee import PrimitiveReferee

    for group in json.loads(files(__package__).joinpath("wycheproof.json").read_text())["groups"]:
        tests = tuple((number, artefact, valid) for number, artefact, valid in group["tests"])
        family = MAC if "data" in group["inputs"] else OPEN
        inputs = dict(group["inputs"])
        if family == OPEN:
            # Not a vector, since the input of `prepare` must be valid.
            sealer = PrimitiveReferee(OPEN, group["algorithm"], inputs | {"data": "AAAA"})
            inputs["sealed"] = sealer.genuine()[0]
        vectors = Vectors(f"Wycheproof {group['file']} (from {tests[0][0]})", tests)
        yield Case(family, {"algorithm": group["algorithm"]}, inputs, vectors=vectors)
