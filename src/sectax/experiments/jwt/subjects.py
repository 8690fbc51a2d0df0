"""The probe behind a combination of levels: its program, its inputs and the referee of what it makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sectax.design.matrix import Asked, Levels, Requirement
from sectax.experiments.jwt.algorithms import ALGORITHMS
from sectax.experiments.jwt.keys import claims_text, key_of, signing_input
from sectax.experiments.jwt.referee import JwtReferee
from sectax.experiments.requirements import NeedsProbe
from sectax.model.plan import Plan
from sectax.model.why_not import WhyNot
from sectax.subjects.probe.probe_subject import ProbeSpec
from sectax.subjects.probe.software import software
from sectax.toolchain import probes

_PARAMETERS = ("algorithm", "key_use", "layer")


def requires(levels: Levels) -> Iterator[Requirement | WhyNot]:
    """The language's probe, and levels that do not contradict each other."""
    yield NeedsProbe(levels["language"])
    if ALGORITHMS[levels["algorithm"]].key_type == "oct" and levels["key_use"] == "parsed-per-call":
        yield WhyNot("a shared secret is bytes: there is nothing to parse")


def measurable(languages: Iterable[str], asked: Asked) -> list[str]:
    """The languages whose probes can run here."""
    return [language for language in languages if asked.why_not(NeedsProbe(language)) is None]


def signature_subject(levels: Mapping[str, str], inputs: Mapping[str, str]) -> ProbeSpec:
    """The subject that signs or verifies as the levels say, with the run's keys."""
    algorithm = levels["algorithm"]
    return _spec(
        levels["language"],
        levels["operation"],
        {name: levels[name] for name in _PARAMETERS},
        subject_inputs(algorithm, inputs),
        referee_of(algorithm, inputs),
    )


def empty_subject(language: str) -> ProbeSpec:
    """The subject whose operation does nothing."""
    return _spec(language, "empty", {}, {}, None)


def referee_of(algorithm: str, inputs: Mapping[str, str]) -> JwtReferee:
    return JwtReferee(algorithm, key_of(inputs, algorithm))


def subject_inputs(algorithm: str, inputs: Mapping[str, str]) -> dict[str, str]:
    """What a probe is handed for one algorithm, by the names of the probe protocol."""
    return key_of(inputs, algorithm) | {
        "claims": claims_text(),
        "signing_input": signing_input(algorithm),
        "token": referee_of(algorithm, inputs).genuine()[0],
    }


def probe_identity(plan: Plan) -> dict[str, str]:
    """The probes that a plan uses: fingerprints of their files, versions of their runtimes and libraries."""
    identity: dict[str, str] = {}
    for language in sorted({treatment.levels["language"] for treatment in plan.treatments}):
        identity[f"{language}.files"] = probes.load(language).fingerprint()
        identity |= {f"{language}.{name}": text for name, text in software(empty_subject(language)).items()}
    return identity


def _spec(
    language: str, operation: str, parameters: dict[str, str], inputs: dict[str, str], referee: JwtReferee | None
) -> ProbeSpec:
    probe = probes.load(language)
    return ProbeSpec(
        name=language,
        argv=probe.command(),
        cwd=str(probe.folder),
        operation=operation,
        parameters=parameters,
        inputs=inputs,
        referee=referee,
    )
