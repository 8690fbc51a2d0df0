"""The probe behind a combination of levels: its program, its inputs and the referee of what it makes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sectax.design.matrix import Levels, Requirement
from sectax.experiments.jwt.algorithms import ALGORITHMS
from sectax.experiments.jwt.keys import claims_text, key_of, make_keys, signing_input
from sectax.experiments.jwt.referee import JwtReferee
from sectax.experiments.on_probes import probe_subject
from sectax.experiments.requirements import NeedsProbe
from sectax.model.why_not import WhyNot
from sectax.subjects.probe.probe_subject import ProbeSpec

if TYPE_CHECKING:
    from sectax.subjects.probe.conformance import Case

OPERATIONS = ("sign", "verify")
KEY_USES = ("parsed-once", "parsed-per-call")
LAYERS = ("primitive", "library")

_PARAMETERS = ("algorithm", "key_use", "layer")


def requires(levels: Levels) -> Iterator[Requirement | WhyNot]:
    """The language's probe, and levels that do not contradict each other."""
    yield NeedsProbe(levels["language"])
    if ALGORITHMS[levels["algorithm"]].key_type == "oct" and levels["key_use"] == "parsed-per-call":
        yield WhyNot("a shared secret is bytes: there is nothing to parse")


def signature_subject(levels: Mapping[str, str], inputs: Mapping[str, str]) -> ProbeSpec:
    """The subject that signs or verifies as the levels say, with the run's keys."""
    algorithm = levels["algorithm"]
    return probe_subject(
        levels["language"],
        levels["operation"],
        {name: levels[name] for name in _PARAMETERS},
        subject_inputs(algorithm, inputs),
        referee_of(levels["operation"], algorithm, inputs),
    )


def referee_of(operation: str, algorithm: str, inputs: Mapping[str, str]) -> JwtReferee:
    return JwtReferee(algorithm, key_of(inputs, algorithm), expects_artefact=operation == "sign")


def subject_inputs(algorithm: str, inputs: Mapping[str, str]) -> dict[str, str]:
    """What a probe is handed for one algorithm, by the names of the probe protocol."""
    return key_of(inputs, algorithm) | {
        "claims": claims_text(),
        "signing_input": signing_input(algorithm),
        "token": referee_of("sign", algorithm, inputs).genuine()[0],
    }


def probe_cases() -> list[Case]:
    """Every operation with every level, under fresh keys: what `sectax probe check` tries."""
    from sectax.subjects.probe.conformance import Case

    keys = make_keys(ALGORITHMS)
    cases = []
    for operation, algorithm, layer, key_use in itertools.product(OPERATIONS, ALGORITHMS, LAYERS, KEY_USES):
        inputs, referee = subject_inputs(algorithm, keys), referee_of(operation, algorithm, keys)
        # A tampered token to verify: every operation must then be counted as a failure.
        spoiled = inputs | {"token": referee.tampered()[0]} if operation == "verify" else None
        parameters = {"algorithm": algorithm, "layer": layer, "key_use": key_use}
        cases.append(Case(operation, parameters, inputs, referee, spoiled))
    return cases
