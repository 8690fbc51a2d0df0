"""The benchmark of the MAC finds the cost per byte that there is, and its plain process makes the very call."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.hmac_mac import AGAIN, IN_FUNCTION, PLAIN, Plain, Times, fitted, show
from sectax.experiments.hmac.subjects import Events, new_inputs

SIZES = (136_560, 682_692, 1_398_128, 4_194_328)
PYTHON = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info[1]}"


def times(slower: float, speed: float) -> Times:
    """A block on a machine of this speed, in which the function's bytes take longer by a share."""
    per_byte = {IN_FUNCTION: 1.2e-9 * (1 + slower), PLAIN: 1.2e-9, AGAIN: 1.2e-9}
    return {arm: [speed * (5e-6 + b * size) for size in SIZES] for arm, b in per_byte.items()}


def test_a_line_is_fitted_to_each_arm() -> None:
    fits = fitted(SIZES, times(0.5, 1.0))

    assert fits[IN_FUNCTION] == pytest.approx((5e-6, 1.8e-9))
    assert fits[PLAIN] == pytest.approx((5e-6, 1.2e-9))


@pytest.mark.parametrize(("slower", "word"), [(0.04, "reached"), (0.06, "missed"), (-0.06, "missed")])
def test_the_ratio_decides_whatever_the_speed_of_a_block(slower: float, word: str, capsys) -> None:
    show(SIZES, [times(slower, speed) for speed in (1.0, 1.3, 0.8)])

    judged = [line for line in capsys.readouterr().out.splitlines() if "within 5 % of 1" in line]
    assert [line.split()[0] for line in judged] == [word, word]
    assert f"ratio {1 + slower:.3f}" in judged[0]


def test_the_plain_process_finds_the_token_of_a_genuine_event_and_no_other() -> None:
    inputs = new_inputs()
    event = Events(inputs).of("hmac-sha512", 100_000)
    tampered = json.dumps(json.loads(event) | {"token": "0" * 128}).encode()

    with Plain(PYTHON, inputs["shared_key"]) as plain:
        found = plain.visit(event)
        with pytest.raises(SystemExit, match="another token"):
            plain.visit(tampered)

    assert found.keys() == {PLAIN, AGAIN}
    assert min(found.values()) > 0
