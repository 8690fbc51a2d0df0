"""Which setups a request makes, and what they promise."""

from __future__ import annotations

from sectax.experiments.tls.levels import SHARES, Setup, setups
from tests.experiments.plans import planner, primary

plan = planner("tls")


def test_a_preset_changes_one_factor_of_the_usual_setup_at_a_time() -> None:
    _, found = setups("default", {})
    base = next(iter(found.values()))

    assert base == Setup()
    for setup in list(found.values())[1:]:
        assert sum(getattr(setup, name) != getattr(base, name) for name in vars(base)) == 1


def test_levels_that_somebody_chose_are_the_question_and_the_first_is_the_baseline() -> None:
    made = plan("quick", group="x25519mlkem768,P-256")

    assert made.treatment(made.cells[0].baseline).levels["setup"] == "TLS1.3+P-256+P-256"
    assert primary(made, "setup") == {"X25519MLKEM768"}


def test_what_tls12_or_a_library_cannot_do_is_skipped_with_its_reason() -> None:
    (of_tls13,) = plan("quick", protocol="tls12", group="X25519,X25519MLKEM768").skipped
    (of_others,) = plan(library="rustls").skipped

    assert "X25519MLKEM768" in of_tls13.reason
    assert of_others.levels["setup"] == "SecP384r1MLKEM1024"


def test_a_setup_promises_the_sizes_of_its_key_shares() -> None:
    assert SHARES["X25519MLKEM768"][0] - SHARES["X25519"][0] == 1184
    assert SHARES["X25519MLKEM768"][1] - SHARES["X25519"][1] == 1088
    assert Setup(group="X25519MLKEM768").declares("go")["key_share_bytes"] == "1216 up, 1120 down"
    assert Setup(protocol="none").declares("go") == {"protocol": "none", "library": "go"}
    assert "group" not in Setup(protocol="tls12", resumption="on").declares("go")
