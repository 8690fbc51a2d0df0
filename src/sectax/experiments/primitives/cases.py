"""What `sectax probe check` tries of a probe: every algorithm under fresh keys, and Wycheproof's test vectors.

`wycheproof.json` has those of AES-GCM, ChaCha20-Poly1305, AES-GCM-SIV and HMAC that fit these operations: no additional
data, nonces and tags of the usual length. `scripts/wycheproof.py` made it.
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
    """One for every group of the same key: opening what is sealed, and of the same key and message: a MAC's tags."""
    from sectax.experiments.on_probe.conformance import Case, Vectors
    from sectax.experiments.primitives.referee import PrimitiveReferee

    for group in json.loads(files(__package__).joinpath("wycheproof.json").read_text())["groups"]:
        tests = tuple((number, artefact, valid) for number, artefact, valid in group["tests"])
        family = MAC if "data" in group["inputs"] else OPEN
        inputs = dict(group["inputs"])
        if family == OPEN:
            # No vector: what `prepare` is given must be right.
            sealer = PrimitiveReferee(OPEN, group["algorithm"], inputs | {"data": "AAAA"})
            inputs["sealed"] = sealer.genuine()[0]
        vectors = Vectors(f"Wycheproof {group['file']} (from {tests[0][0]})", tests)
        yield Case(family, {"algorithm": group["algorithm"]}, inputs, vectors=vectors)
