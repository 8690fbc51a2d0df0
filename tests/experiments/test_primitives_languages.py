"""Languages against each other: what one makes all others accept, and tampered with none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sectax.experiments.primitives.algorithms import FAMILIES
from sectax.experiments.primitives.experiment import prepared
from sectax.experiments.primitives.inputs import new_inputs
from sectax.protocol.session import AnsweredSkipped
from tests.experiments.languages import PRESENT, conversation, end_conversations
from tests.needs import needs

COMMON = {"aes-256-gcm", "aes-128-gcm", "chacha20-poly1305", "hmac-sha-256", "hmac-sha-512", "sha-256", "sha-512"}
COMMON |= {"sha3-256", "x25519", "p-256", "pbkdf2-sha256", "pbkdf2-sha512"}
KEYS = new_inputs()

pytestmark = [pytest.mark.more]


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    end_conversations()


@needs("php", "the Python probe", "the Go probe", "the Node probe", "the Rust probe", "the Java probe")
@pytest.mark.parametrize("size", ["64B", "16KiB"])
@pytest.mark.parametrize(
    ("family", "algorithm"), [(name, one) for name, family in FAMILIES.items() for one in family.algorithms]
)
def test_all_languages_accept_each_other_s_results_and_reject_tampered_ones(family, algorithm, size):
    if not FAMILIES[family].sized and size != "64B":
        return
    given, referee = prepared({"family": family, "algorithm": algorithm, "size": size}, KEYS)
    offered = []
    for language in PRESENT:
        try:
            conversation(language).prepare(family, {"algorithm": algorithm}, given)
        except AnsweredSkipped:
            continue
        else:
            offered.append(language)
    made = {language: conversation(language).witness([]).artefact for language in offered}
    presented = list(made.values()) if family != "aead-open" else referee.genuine()
    for language in offered:
        accepted = conversation(language).witness([*presented, *referee.tampered()]).accepted

        assert referee.judge(made[language]) is None
        assert accepted == [True] * len(presented) + [False] * len(referee.tampered()), language
    assert offered == PRESENT or algorithm not in COMMON
