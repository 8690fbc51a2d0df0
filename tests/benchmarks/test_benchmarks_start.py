"""The benchmarks can be started, and say what they would say of sessions whose truth is known."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.honesty.session import Compared, Session
from benchmarks.honesty.summary import A_A, Group, claims_direction, covers_the_truth, found, quantile, show
from benchmarks.output import near_one
from benchmarks.probes.c_program import CProgram
from sectax.experiments.jwt.keys import make_keys
from sectax.stats.student import PointInterval
from tests.needs import needs

ROOT = Path(__file__).resolve().parents[2]
# Those that take options.
MODULES = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__main__")
    for path in ROOT.glob("benchmarks/**/*.py")
    if "ArgumentParser(" in path.read_text() and '"__main__"' in path.read_text()
)


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.filterwarnings("ignore:.*found in sys.modules")  # runpy's word on what an earlier test has imported
@pytest.mark.parametrize("module", MODULES)
def test_a_benchmark_says_how_it_is_used(module: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", [module, "--help"])

    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__", alter_sys=True)

    assert not ended.value.code
    assert "--help" in capsys.readouterr().out


def test_run_lists_every_benchmark_and_runs_only_those_that_there_are() -> None:
    listed = call(str(ROOT / "benchmarks/run"), "--list")
    unknown = call(str(ROOT / "benchmarks/run"), "nonsense")

    assert {"startup", "own_cost", "honesty"} <= {line.split()[0] for line in listed.stdout.splitlines()}
    assert unknown.returncode == 2
    assert "nonsense" in unknown.stderr


@needs("cc", "headers of OpenSSL")
@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_the_c_program_signs_and_verifies(algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    for name, text in make_keys([algorithm]).items():
        (tmp_path / name).write_text(text)
    pair = [tmp_path / f"{algorithm}.{part}_key_pem" for part in ("private", "public")]

    with CProgram(*pair, "some text") as program:
        seconds = [program.batch(mode, 3) for mode in ("sign", "verify", "sign-ready", "verify-ready", "digest")]

    assert min(seconds) > 0


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(0.99, 1.02, "reached"), (1.04, 1.06, "missed"), (0.9, 0.95, "missed"), (0.99, 1.04, "open"), (0.9, 1.1, "open")],
)
def test_a_ratio_is_near_one_when_its_whole_interval_is(low: float, high: float, word: str, capsys) -> None:
    near_one("RS256 sign", PointInterval((low + high) / 2, low, high, 20), 0.03)

    assert capsys.readouterr().out.split()[0] == word


def compared(injected: str, verdict: str, *, low: float = -0.01, high: float = 0.01, truth: float = 0.0) -> Compared:
    return Compared("php", injected, truth, verdict, None, 8, 4.0, low, high)


def session(*comparisons: Compared) -> Session:
    return Session("some.sectax", preset="quick", max_blocks=20, blocks=8, comparisons=list(comparisons))


def test_a_direction_at_a_a_is_counted_as_an_error_once_a_session() -> None:
    good = session(compared("again", "equivalent"), compared("once-more", "inconclusive"))
    bad = session(compared("again", "slower-material"), compared("once-more", "faster-within-margin"))

    group = Group([good, bad, Session("broken.sectax", trouble="exit status 3")], "php")

    assert group.count(claims_direction, *A_A) == (2, 4)
    assert group.sessions_with(claims_direction, *A_A) == (1, 2)


def test_a_cost_of_any_grade_is_found_and_a_gain_is_not() -> None:
    verdicts = ["slower-material", "slower-materiality-open", "slower-within-margin", "faster-material", "withdrawn"]

    assert [found(compared("+5%", verdict)) for verdict in verdicts] == [True, True, True, False, False]


def test_an_interval_covers_the_cost_that_was_injected() -> None:
    assert covers_the_truth(compared("+5%", "slower-material", low=0.04, high=0.06, truth=0.0502))
    assert not covers_the_truth(compared("+5%", "slower-material", low=0.051, high=0.06, truth=0.0502))


def test_comparisons_without_a_verdict_have_no_end() -> None:
    assert quantile([6, 7, float("inf")], 0.5) == 7
    assert quantile([6, 7, float("inf")], 0.9) == float("inf")


def test_the_summary_names_the_target_that_was_missed(capsys: pytest.CaptureFixture[str], agreed) -> None:
    show([session(compared("again", "slower-material"), compared("+5%", "slower-material", truth=0.05))])

    agreed(capsys.readouterr().out)
