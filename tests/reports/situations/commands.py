"""Two commands, and hostile labels."""

from __future__ import annotations

from sectax.design.matrix import Rules
from sectax.design.planning import Design
from sectax.model.analysed import Analysed
from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Factor
from tests.reports.situations.registered import situation
from tests.reports.situations.signatures import family
from tests.reports.situations.simulated import Case, Fault

WALL = Metric("wall", "s", Better.LOWER, Summary.MEAN, "wall")
CPU = Metric("cpu", "s", Better.LOWER, Summary.MEAN, "cpu", cpu=True)
PEAK_MEMORY = Metric("peak_memory", "B", Better.LOWER, Summary.MEDIAN, "peak_memory", resolution=4096)
QUESTION = "What does the one command cost more than the other?"


def _commands(*levels: str, metrics: tuple[Metric, ...], **more: object) -> Design:
    return Design(
        transfers="The cost is that of these programs on this machine, with these inputs and this file cache.",
        control="command", baseline="baseline", factors=(Factor("command", levels),), metrics=metrics, batch_s=0.02,
        **({"rules": Rules(family=family, extra_operations=False)} | more),  # type: ignore[arg-type]
    )  # fmt: skip


@situation
def two_commands() -> Analysed:
    """Two commands, where the only cell has no levels and one metric is a size."""
    design = _commands(
        "baseline",
        "with-tls",
        metrics=(WALL, CPU, PEAK_MEMORY),
        answered_by="the answer is wall time: a command may wait or do I/O, which CPU time leaves out",
        beside=("cpu",),
    )
    truth = {
        "all/baseline": 0.0482,
        "all/with-tls": 0.0501,
        "all/baseline:cpu": 0.0121,
        "all/with-tls:cpu": 0.0139,
        "all/baseline:peak_memory": 8.4e6,
        "all/with-tls:peak_memory": 9.1e6,
    }
    options = {
        "baseline": ("curl -s http://localhost:8080/1m",),
        "treatment": ("with-tls=curl -s https://localhost:8443/1m",),
        "prepare": ("sync",),
    }
    # Of a command only what the machine and its cgroup say rides along.
    telemetry = {
        "all/baseline": {"steal_s": 0.0, "involuntary_switches": 12.0},
        "all/with-tls": {"involuntary_switches": 15.0},
    }
    return Case(design, truth, "command", QUESTION, options=options, telemetry=telemetry).build()


@situation
def hostile_labels() -> Analysed:
    """Labels that try to steer the terminal, to break out of a table, and to be read as markup or a formula."""
    nasty = "\x1b[2J\x07[red]a|b[/red]\u202e`x`"
    formula = "=HYPERLINK(1)\r\nnext"
    rules = Rules(
        family=family,
        extra_operations=False,
        declares=lambda levels: {"curve": "| 1 | 2 |"} if levels["command"] == formula else {},
    )
    design = _commands(
        "baseline", nasty, formula, metrics=(WALL,), words={nasty: "<script>alert(1)</script>"}, rules=rules
    )
    case = Case(
        design,
        {"all/baseline": 0.0482, f"all/{nasty}": 0.0501, f"all/{formula}": 0.0501},
        experiment="command",
        question=QUESTION,
    )
    case.faults = {f"all/{nasty}": Fault("said \x1b]0;owned\x07 and\nleft", "try\r\n# it", "visit", (3,))}
    case.witnesses = {f"all/{formula}": {"curve": "**loud** [click](http://example.org)"}}
    case.notes = ("\ue000 [bold]note[/bold]",)
    case.options = {"baseline": ("# echo '\x1b[2J' | tee `x`\n- <b>",), "treatment": (f"{nasty}=1. *x*",)}
    return case.build()
