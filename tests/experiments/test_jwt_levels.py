"""The levels of jwt: what a preset has, what each asks of a probe, and what it must prove of itself."""

from __future__ import annotations

import re

import pytest

from sectax.experiments.interface import RunRequest
from sectax.experiments.jwt import EXPERIMENT, keys
from sectax.experiments.jwt.experiment import signature_subject
from sectax.experiments.jwt.keys import ALGORITHMS, make_keys
from sectax.model.machine import Machine, ProbeState
from sectax.parts import probes
from tests.machines import request_for

MACHINE = Machine(probes={"php": ProbeState("PHP", None, True), "python": ProbeState("Python", None, True)})


def request(preset: str = "default", **levels: tuple[str, ...]) -> RunRequest:
    return request_for(preset, levels)


@pytest.mark.parametrize(
    ("name", "asked", "alg", "bits"),
    [("RS512-4096", "RS512", "RS512", 4096), ("Ed448", "Ed448", "EdDSA", 456), ("ES512", "ES512", "ES512", 521)],
)
def test_a_level_is_asked_by_its_name_in_the_protocol(name: str, asked: str, alg: str, bits: int) -> None:
    levels = {"language": "python", "operation": "sign", "layer": "primitive", "key_use": "parsed-once"}
    spec = signature_subject(levels | {"algorithm": name}, make_keys([name]))
    declared = ALGORITHMS[name].declares()

    assert spec.parameters["algorithm"] == asked
    assert (declared["alg"], declared["key_bits"]) == (alg, bits)


def test_advice_reports_a_token_s_share_of_a_header() -> None:
    large = EXPERIMENT.advice_rules(EXPERIMENT.plan(request(algorithm=("RS256", "ML-DSA-87")), MACHINE))
    common = EXPERIMENT.advice_rules(EXPERIMENT.plan(request(), MACHINE))

    assert "4627 bytes (ML-DSA-87) or 256 (RS256)" in large.choice.weigh
    assert "79 %" in large.choice.weigh
    assert "8 KiB" not in common.choice.weigh


def test_advice_names_tokens_that_are_too_long_for_a_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(keys.CLAIMS, "scope", "orders:read " * 200)  # 3,200 characters of base64
    rules = EXPERIMENT.advice_rules(EXPERIMENT.plan(request(algorithm=("RS256", "ML-DSA-87")), MACHINE))

    named = dict(re.findall(r"(\S+) \(([\d,]+) bytes\)", rules.choice.weigh.partition("reject")[2]))
    assert list(named) == ["ML-DSA-87"]
    assert int(named["ML-DSA-87"].replace(",", "")) == 22 + len(keys.signing_input("ML-DSA-87")) + 1 + 6170


def test_advice_names_the_languages_that_were_left_out() -> None:
    of_all = Machine(probes={name: ProbeState(name, None, True) for name in probes.names()})
    common = EXPERIMENT.advice_rules(EXPERIMENT.plan(request(), MACHINE))
    everything = EXPERIMENT.advice_rules(EXPERIMENT.plan(request(language=probes.names()), of_all))

    assert "(go, java, node, rust)" in common.choice.changes
    assert "language=" not in everything.choice.changes
