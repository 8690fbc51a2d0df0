"""What is kept of one session: every comparison's verdict beside the truth, taken from the program's own report."""

from __future__ import annotations

import contextlib
import math
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from sectax.analysis.findings import judge
from sectax.record.reader import RunReader

EARLY = 20


class Compared(msgspec.Struct):
    """One comparison of a session.

    Attributes:
        injected: the level (`again`, `+5%`) or `negative-control`, `positive-control`.
        truth: the share of extra operations that really ran; None where the run file does not say.
        verdict: the identifier in the report; `withheld` what it was before the audit took it away.
        blocks, seconds: until it was no longer measured; seconds count from the run's beginning, pilot included.
        low, high: the interval, in logs of the cost ratio; None where there is none.
        early: the verdict after the first 20 blocks alone, before the audit; None where none was asked for.
        reference: the log of the true cost ratio, by construction or measured as CPU time before; None where unknown.
    """

    language: str
    injected: str
    truth: float | None
    verdict: str
    withheld: str | None
    blocks: int
    seconds: float | None
    low: float | None
    high: float | None
    early: str | None = None
    reference: float | None = None


class Session(msgspec.Struct):
    """One run of sectax whose answers are known; `trouble` is why there is nothing else in it.

    Attributes:
        arms: which run, as in benchmarks.honesty.arms.
        beside: the load that ran beside it, as `Beside` says it.
        load_cpu_s: CPU time that it used.
        commit: of sectax, with a `+` where the checkout had changes.
    """

    file: str
    started: str = ""
    preset: str = ""
    seed: int = 0
    max_blocks: int | None = 0  # None: as many as fit into the budget
    budget_s: float | None = None
    blocks: int = 0
    seconds: float | None = None
    load: tuple[float, float] | None = None  # of the machine, before and after
    comparisons: list[Compared] = []
    noise_floors: dict[str, float | None] = {}  # by language
    warnings: list[str] = []
    trouble: str = ""
    arms: str = "alike"
    beside: str = "nothing"
    load_cpu_s: float | None = None
    commit: str = ""


def from_report(report: Mapping[str, Any], run_file: Path, references: Mapping[str, float] | None = None) -> Session:
    """The session of a report (docs/schemas/report-2.json) and of the run file that it was made from.

    Args:
        references: treatment -> the log of its true cost ratio, where it is not a share of extra operations.
    """
    levels = {treatment["id"]: treatment["levels"] for treatment in report["treatments"]}
    truths, ends = truths_and_ends(run_file)
    early = verdicts_after(run_file, EARLY)
    controls = [control[kind] for control in report["controls"] for kind in ("negative", "positive")]
    compared = []
    for finding in [*report["findings"], *(control for control in controls if control is not None)]:
        treatment, standing, effect = finding["treatment"], finding["standing"], finding["effect"] or {}
        if standing == "secondary":
            continue
        truth = truths.get(treatment) if references is None else None
        compared.append(
            Compared(
                language=levels[finding["baseline"]].get("language", "command"),
                injected=standing if standing.endswith("-control") else _level(levels[treatment]),
                truth=truth,
                verdict=finding["verdict"]["id"],
                withheld=finding["withheld"],
                blocks=effect.get("blocks", 0),
                seconds=ends.get(treatment),
                low=effect.get("log_ratio_low"),
                high=effect.get("log_ratio_high"),
                early=early.get(treatment),
                reference=math.log1p(truth) if truth is not None else (references or {}).get(treatment),
            )
        )
    return Session(
        file=run_file.name,
        started=report["run"]["started"],
        preset=report["plan"]["preset"],
        seed=report["plan"]["seed"],
        max_blocks=report["plan"]["stopping"]["max_blocks"],
        budget_s=report["plan"]["stopping"]["budget_seconds"],
        blocks=report["run"]["blocks"],
        seconds=max(ends.values(), default=None),
        comparisons=compared,
        noise_floors={control["family"]: control["noise_floor"] for control in report["controls"]},
        warnings=sorted({warning["check"] for warning in report["warnings"] if warning["severity"] == "F"}),
    )


def _level(levels: Mapping[str, str]) -> str:
    """What a treatment is called: the level that differs from its baseline's, with what tells jwt's cells apart."""
    if "algorithm" in levels:
        return f"{levels['operation']} {levels['algorithm']}"
    return levels.get("injected") or levels["command"]


def verdicts_after(run_file: Path, blocks: int) -> dict[str, str]:
    """By treatment, the verdict of the run's first metric had the run ended after so many blocks; before the audit."""
    with contextlib.closing(RunReader.open(run_file)) as reader:
        measured = reader.measured()
    kept = measured.blocks[:blocks]
    values = {
        metric: {arm: {block: values[block] for block in kept if block in values} for arm, values in arms.items()}
        for metric, arms in measured.values.items()
    }
    visited = {arm: tuple(block for block in its if block in kept) for arm, its in measured.visited.items()}
    first = measured.plan.metrics[0].name
    return {
        finding.comparison.treatment: finding.verdict.value
        for finding in judge(replace(measured, blocks=kept, values=values, visited=visited))
        if finding.comparison.metric == first
    }


def truths_and_ends(run_file: Path) -> tuple[dict[str, float], dict[str, float]]:
    """By treatment: the share of extra operations that ran, and the seconds until its last finished block ended."""
    with contextlib.closing(sqlite3.connect(f"file:{run_file}?mode=ro", uri=True)) as record:
        work = record.execute(
            "SELECT t.id, t.extra, c.count * c.rounds FROM treatment t JOIN calibration c ON c.treatment = t.id"
            " WHERE c.rounds IS NOT NULL"
        ).fetchall()
        ends = record.execute(
            "SELECT t.id, MAX((julianday(b.started) - julianday(r.started)) * 86400 + b.seconds)"
            " FROM run r, block b JOIN subject s ON s.block = b.number JOIN treatment t ON t.number = s.treatment"
            " WHERE b.state = 'finished' GROUP BY t.id"
        ).fetchall()
    # As sectax.design.order.known_extra: whole operations, at least one.
    truths = {name: max(1, round(count * extra)) / count if extra else 0.0 for name, extra, count in work}
    return truths, {name: seconds for name, seconds in ends if seconds is not None}
