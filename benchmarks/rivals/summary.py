"""What many sessions say together: how often a tool was wrong, how often it found a cost, and how soon."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benchmarks.honesty.summary import quantile
from benchmarks.output import heading, share, table
from benchmarks.rivals.kept import Claim, Judged, Visit
from benchmarks.rivals.tools import TOOLS
from sectax.model.finding import VerdictId

COSTS = ("+2%", "+5%")


def claimed(judged: Judged) -> bool:
    return judged.claim is not Claim.NONE


def found(judged: Judged) -> bool:
    return judged.claim is Claim.SLOWER


def wrong_way(judged: Judged) -> bool:
    return judged.claim is Claim.FASTER


def equal(judged: Judged) -> bool:
    """Whether it was said, as only sectax does, that there is no cost of a margin; silence is not that."""
    return judged.said == VerdictId.EQUIVALENT


def of(visits: Sequence[Visit], tool: str, *levels: str) -> list[Judged]:
    return [judged for visit in visits if visit.tool == tool for judged in visit.judged if judged.level in levels]


def show(visits: list[Visit], *, markdown: bool = False) -> None:
    """Print the tables; a tool that never visited has no row."""
    heading("sectax beside its rivals")
    loads = [load for visit in visits for load in visit.load]
    if not loads:
        print("\n  no visits yet")
        return
    sessions = len({visit.session for visit in visits})
    print(f"\n  {len(visits)} visits in {sessions} sessions, {visits[0].started} to {visits[-1].started}")
    print(f"  load of the machine {min(loads):.1f} to {max(loads):.1f}")
    for visit in visits:
        if visit.trouble:
            print(f"  failed: {visit.tool} in session {visit.session}: {visit.trouble}")
    present = [tool for tool in TOOLS if of(visits, tool, "again", *COSTS)]
    print_table = markdown_table if markdown else table
    print_table(
        ["", "form", "A/A: a difference claimed", "+2 % found", "+5 % found", "wrong way at a cost"],
        [[tool, TOOLS[tool].form, *_how_often(visits, tool)] for tool in present],
        "How often (exact 95 % intervals, in %)",
    )
    print_table(
        ["", *(f"{level}: {part}" for level in ("A/A", *COSTS) for part in ("seconds, half", "90 %", "estimate"))],
        [[tool, *(cell for level in ("again", *COSTS) for cell in _how_soon(visits, tool, level))] for tool in present],
        "Seconds to an answer (of sectax, that it is undecided is none), and the tools' own estimates of the cost",
    )
    print_table(
        ["", "A/A: 'equivalent' was said"],
        [[tool, _share(visits, tool, equal, "again")] for tool in present if tool.startswith("sectax")],
        "Only sectax has words for 'no cost': the others are silent then",
    )


def _share(visits: Sequence[Visit], tool: str, question: Callable[[Judged], bool], *levels: str) -> str:
    asked = of(visits, tool, *levels)
    return share(sum(map(question, asked)), len(asked))


def _how_often(visits: Sequence[Visit], tool: str) -> list[str]:
    return [
        _share(visits, tool, claimed, "again"),
        *(_share(visits, tool, found, level) for level in COSTS),
        _share(visits, tool, wrong_way, *COSTS),
    ]


def _how_soon(visits: Sequence[Visit], tool: str, level: str) -> list[str]:
    asked = of(visits, tool, level)
    seconds = [math.inf if judged.seconds is None else judged.seconds for judged in asked]
    costs = [100 * (judged.ratio - 1) for judged in asked if judged.ratio is not None]
    times = [quantile(seconds, part) for part in (0.5, 0.9)]
    shown = ["–" if math.isnan(value) else "never" if math.isinf(value) else f"{value:.0f}" for value in times]
    return [*shown, f"{min(costs):+.1f} to {max(costs):+.1f} %" if costs else "–"]


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
    print(f"\n{title}\n")
    for row in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(row)} |")
