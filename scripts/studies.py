#!/usr/bin/env python3
"""Measure the published studies again on this machine, and compare them with the published figures.

    make studies                      all five: about 45 minutes on a quiet machine
    make studies ARGS='--quick jwt'   six blocks of few levels: whether it works, not what it costs

Run files and HTML pages go to runs/studies-DATE, which git ignores. A summary of each study goes to docs/studies,
which is committed. `sectax` is the only thing that measures: `--published` of the experiment, `compare` beside the
study, `audit` of the study.

A study whose experiment cannot be measured here is named with the reason, and its earlier summary stays. The exit
status is 1 where a run failed otherwise.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SECTAX = ROOT / ".venv/bin/sectax"
SUMMARIES = ROOT / "docs/studies"
INDEX = "index.md"
# How sectax ends where something is missing here: wrong use (the experiment has no such form), or nothing measured.
CANNOT = {2, 3}


@dataclass(frozen=True)
class Study:
    """A published study; `quick` are the words that make its run short.

    Attributes:
        elsewhere: the words of a second run, of the same question where the study did not ask it.
    """

    id: str
    experiment: str
    quick: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


STUDIES = (
    Study(
        "jwt-php",
        "jwt",
        ("--level", "algorithm=RS256,HS256,EdDSA"),
        ("--quick", "--level", "algorithm=RS256,ES256,EdDSA", "--level", "language={languages}"),
    ),
    Study("hmac-lambda-2023", "hmac", ("--level", "payload=100KiB,1MiB", "--level", "memory=1024")),
    Study("s3-default-encryption", "s3", ("--level", "size=1MiB")),
    Study("secrets-extension-2022", "secrets", ()),
    Study("confidential-vm-sysbench", "confidential", ()),
)


@dataclass(frozen=True)
class Outcome:
    """What became of a study: its text, or why there is none."""

    study: Study
    text: str = ""
    reason: str = ""
    failed: bool = field(default=False)


class Ended(Exception):
    """A call of sectax that did not end well; its message, and whether something is only missing here."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.cannot = status in CANNOT


def main() -> int:
    """Measure, and say what became of every study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "experiments", nargs="*", metavar="EXPERIMENT", help="the experiments to run; all where none is named"
    )
    parser.add_argument("--quick", action="store_true", help="six blocks of few levels; summaries go to the run files")
    given = parser.parse_args()
    unknown = set(given.experiments) - {study.experiment for study in STUDIES}
    if unknown:
        parser.error(
            f"no study of {', '.join(sorted(unknown))}; there are {', '.join(study.experiment for study in STUDIES)}"
        )
    runs = ROOT / "runs" / f"studies-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    runs.mkdir(parents=True)
    summaries = runs if given.quick else SUMMARIES
    wanted = [study for study in STUDIES if not given.experiments or study.experiment in given.experiments]
    outcomes = []
    for study in wanted:
        outcome = measure(study, runs, quick=given.quick)
        outcomes.append(outcome)
        print(f"{study.experiment}: {outcome.reason or 'done'}", flush=True)
        if outcome.text:
            (summaries / f"{study.id}.md").write_text(outcome.text, encoding="utf-8")
    index = summaries / INDEX
    reasons = {outcome.study.id: outcome.reason for outcome in outcomes}
    index.write_text(index_text(summaries, reasons), encoding="utf-8")
    print(f"summaries: {index}\nrun files and pages: {runs}")
    return int(any(outcome.failed for outcome in outcomes))


def measure(study: Study, runs: Path, *, quick: bool) -> Outcome:
    """One study: its run, the comparison, the audit."""
    run = f"{study.id}.sectax"
    # Figures that others quote take the whole budget: the first moment of an answer has wide intervals.
    length = (*study.quick, "--blocks", "6") if quick else ("--until", "budget")
    words = ("run", study.experiment, "--published", *length)
    load = os.getloadavg()[0]
    # A page says where it was measured where that is needed to repeat it: a folder that is nobody's own.
    with tempfile.TemporaryDirectory(prefix="sectax-study-") as name:
        folder = Path(name)
        try:
            sectax(folder, *words, "--dry-run")
            print(f"{study.experiment}: sectax {' '.join(words)}", flush=True)
            report = json.loads(sectax(folder, *words, "--quiet", "--json", "--out", run, "--html", "measured.html"))
            advice = json.loads(sectax(folder, "advise", run, "--json"))
            other = elsewhere(study, folder, quick=quick)
            sectax(folder, "compare", run, f"published:{study.id}", "--html", "beside.html")
            sectax(folder, "audit", f"published:{study.id}", "--html", "audit.html")
        except Ended as error:
            reason = f"{'skipped' if error.cannot else 'failed'}: {error}"
            return Outcome(study, reason=reason, failed=not error.cannot)
        finally:
            for path in folder.glob("*.sectax"):
                shutil.move(path, runs / path.name)
        for page in ("measured", "beside", "audit"):
            shutil.move(folder / f"{page}.html", runs / f"{study.id}-{page}.html")
    return Outcome(study, text=text(study, report, advice, words, load, other))


def elsewhere(study: Study, folder: Path, *, quick: bool) -> list[str]:
    """The order of the study's levels in the languages that are set up here; nothing where that is no question."""
    if not study.elsewhere:
        return []
    probes = json.loads(sectax(folder, "list", "--json"))["probes"]
    languages = ",".join(probe["name"] for probe in probes if not probe["lack"])
    length = ("--blocks", "6") if quick else ("--until", "budget", "--budget", "4m")
    words = ("run", study.experiment, *(word.format(languages=languages) for word in study.elsewhere), *length)
    name = f"{study.id}-elsewhere.sectax"
    report = json.loads(sectax(folder, *words, "--quiet", "--json", "--out", name))
    return [*session(report), f"    sectax {' '.join(words)}", *orders(report)]


def session(report: dict[str, Any]) -> list[str]:
    """When, on what, and with which runtimes."""
    host = report["run"]["sessions"][-1]
    runtimes = ", ".join(host[name] for name in sorted(host) if name.endswith(".runtime"))
    where = f"{host.get('host.cpu_model', 'an unknown processor')}, {report['run']['blocks']} blocks"
    return [f"Measured {report['run']['started'][:10]} on {where}{': ' if runtimes else ''}{runtimes}."]


def orders(report: dict[str, Any]) -> list[str]:
    """For each operation the levels of each language, cheapest first; ` ~ ` where intervals overlap."""
    control, metric = report["plan"]["control"], report["plan"]["metrics"][0]["name"]
    levels_of = {treatment["id"]: treatment["levels"] for treatment in report["treatments"]}
    undecided = {
        (levels_of[finding["treatment"]]["operation"], levels_of[finding["treatment"]]["language"])
        for finding in report["findings"]
        if finding["metric"] == metric and finding["verdict"]["id"] == "inconclusive"
    }
    costs: dict[str, dict[str, list[tuple[float, float, str]]]] = {}
    for treatment in report["treatments"]:
        levels = treatment["levels"]
        estimate = next(each["estimate"] for each in treatment["estimates"] if each["metric"] == metric)
        if treatment["role"] in ("baseline", "treatment") and estimate and estimate["low"] is not None:
            of = costs.setdefault(levels["operation"], {}).setdefault(levels["language"], [])
            of.append((estimate["low"], estimate["high"], levels[control]))
    said = []
    for operation, languages in costs.items():
        ordered: dict[str, list[str]] = {}
        for language, found in languages.items():
            order = "undecided" if (operation, language) in undecided else _order(sorted(found))
            ordered.setdefault(order, []).append(language)
        parts = [f"{', '.join(who)}: {order}" for order, who in ordered.items()]
        said.append(f"- {operation}, cheapest first: {'; '.join(parts)}.")
    return said


def _order(found: list[tuple[float, float, str]]) -> str:
    """'EdDSA, ES256, RS256', with ' ~ ' between two whose intervals overlap."""
    words = found[0][2]
    for (_, high, _), (low, _, name) in itertools.pairwise(found):
        words += f"{' ~ ' if low <= high else ', '}{name}"
    return words


def sectax(folder: Path, *words: str) -> str:
    """Call the program in a folder. Raises `Ended`."""
    done = subprocess.run(
        [SECTAX, *words], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise Ended(done.returncode, "; ".join(said[-2:]) or f"exit status {done.returncode}")
    return done.stdout


def text(
    study: Study,
    report: dict[str, Any],
    advice: dict[str, Any],
    words: tuple[str, ...],
    load: float,
    other: Sequence[str] = (),
) -> str:
    """The summary in the documentation: where and when, the answer, and what nobody would expect of it."""
    run = report["run"]
    surprises = [surprise_words(report, item) for item in (advice["decision"] or {}).get("surprises", ())]
    host = run["sessions"][-1]
    server = f", {host['s3.server']}" if "s3.server" in host else ""
    lines = [
        f"# {study.experiment}: {study.id}, measured again",
        f"Measured {run['started'][:10]} on {host.get('host.cpu_model', 'an unknown processor')}, "
        f"{host.get('host.cpus', '?')} processors{server}, {run['blocks']} blocks; "
        f"the load was {load:.1f} when it began.",
        f"    sectax {' '.join(words)} --out {study.id}.sectax\n"
        f"    sectax compare {study.id}.sectax published:{study.id}",
        "\n".join(f"- {plain(item)}" for item in [*report["summary"], *surprises]),
        *elsewhere_words(other),
        "`make studies` measures it again, and writes pages with figures, pictures and the published tables beside.",
    ]
    return "\n\n".join(lines) + "\n"


def surprise_words(report: dict[str, Any], surprise: dict[str, Any]) -> str:
    """That a level costs less than the baseline, where, and what the record shows of the reason."""
    control = report["plan"]["control"]
    levels = {treatment["id"]: treatment["levels"] for treatment in report["treatments"]}
    compared = next(finding for finding in report["findings"] if finding["id"] == surprise["comparison"])
    own, base = levels[compared["treatment"]], levels[compared["baseline"]]
    varied = [name for name in own if name != control and len({of[name] for of in levels.values()}) > 1]
    where = "".join(f" · {name} {own[name]}" for name in varied)[3:]
    why = f"since {surprise['cause']}" if surprise["cause"] else "unexplained: nothing in the record shows why"
    return f"Not expected: {where and f'{where}: '}{own[control]} costs less than {base[control]}, {why}."


def elsewhere_words(other: Sequence[str]) -> list[str]:
    """How the order turns in other languages, below the run that shows it."""
    if not other:
        return []
    when, command, *orders_ = other
    return ["## In other languages", plain(when), command, "\n".join(map(plain, orders_)), _OVERLAP]


_OVERLAP = "(`~`: their intervals overlap. CPU time, keys parsed once, the primitive alone; one run, one machine.)"


def plain(words: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{sign}" if sign in "\\`*[]<>|_#" else sign for sign in words)


def index_text(pages: Path, reasons: dict[str, str]) -> str:
    """All studies, those of earlier calls too."""
    return "\n\n".join(["# Published studies, measured again", INTRODUCTION, "\n".join(lines(pages, reasons))]) + "\n"


INTRODUCTION = """What five published studies of a control's cost say, and what the same levels cost on a machine of
ours. `make studies` measures them (`scripts/studies.py`); what cannot be measured here is named with the reason.
A run holds for one machine in one session: shapes (ratios within a table) may be set beside each other, seconds may
not."""


def lines(pages: Path, reasons: dict[str, str]) -> Iterator[str]:
    for study in STUDIES:
        page = pages / f"{study.id}.md"
        reason = reasons.get(study.id, "")
        if page.exists():
            measured = page.read_text(encoding="utf-8").splitlines()[2]
            yield f"- [{study.experiment}: {study.id}]({page.name}). {measured}"
        else:
            yield f"- {study.experiment}: {study.id}: {plain(reason) or 'not measured yet'}"


if __name__ == "__main__":
    sys.exit(main())
