"""Before a run the languages judge each other's tokens, and Wycheproof's vectors; who is wrong is named."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from sectax.experiments.jwt.experiment import subject_inputs
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.jwt.proof import prove
from sectax.parts import probes

TEMPLATE = probes.bundled("template")


def a_probe(folder: Path, name: str, *changes: tuple[str, str]) -> str:
    """The template's probe (HS256 alone), changed; its name for `--level language`."""
    place = folder / name
    place.mkdir()
    text = (TEMPLATE / "probe.py").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (place / "probe.py").write_text(text)
    manifest = (TEMPLATE / "probe.toml").read_text().replace('"{python3}"', f'"{sys.executable}"')
    (place / "probe.toml").write_text(manifest)
    return f"{name}={place}"


def proven(*languages: str) -> dict[str, str]:
    keys = make_keys(["HS256"])
    return prove(languages, ("primitive",), {"HS256": subject_inputs("HS256", keys)})


def test_all_judge_the_tokens_of_all_and_the_vectors(tmp_path: Path) -> None:
    said = proven(a_probe(tmp_path, "one"), a_probe(tmp_path, "two"))

    assert said.keys() == {"proof.tokens", "proof.vectors"}
    assert re.findall(r"\d+", said["proof.tokens"])[:2] == ["2", "4"]
    assert said["proof.vectors"].startswith("19 ")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(
            ('return b"" if hmac.compare_digest(genuine, self.signature) else None', 'return b""'),
            {"liar accepts (invalid) Wycheproof's 2, 3, 4", "accepts a changed token: HS256 of honest"},
            id="it accepts everything",
        ),
        pytest.param(
            (
                "return hmac.digest(self.secret, self.signing_input, hashlib.sha256)\n\n    def artefact",
                "return b'x' * 32\n\n    def artefact",
            ),
            {
                "honest (primitive) refuses HS256 of liar (primitive)",
                "liar (primitive) refuses HS256 of liar (primitive)",
            },
            id="its signature is nothing",
        ),
    ],
)
def test_a_wrong_language_is_named(tmp_path: Path, change: tuple[str, str], says: set[str]) -> None:
    said = proven(a_probe(tmp_path, "honest"), a_probe(tmp_path, "liar", change))

    flaws = [text for name, text in said.items() if name.startswith("flaw.")]
    for expected in says:
        assert any(expected in flaw for flaw in flaws), flaws
    assert not any(flaw.startswith("honest") and "of honest" in flaw for flaw in flaws)


def test_a_probe_that_does_not_start_is_left_out(tmp_path: Path) -> None:
    broken = a_probe(tmp_path, "broken", ("def main():", "def main():\n    sys.exit(3)\n\n\ndef other():"))

    said = proven(broken, a_probe(tmp_path, "whole"))

    assert "whole" in said["proof.tokens"]
    assert "broken" not in said["proof.tokens"]
