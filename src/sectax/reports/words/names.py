"""Labels of treatments, cells and metrics.

An experiment brings its own words in `plan.words`:

    "php": "PHP"                                      the label of a level
    "metric=wall": "wall time"                        the label of a metric
    "empty loop": "starting the shell takes"          the cost of an empty operation; then always shown
    "unequal=exit_statuses": "compare …"              the hint if a witness of equal work differs
    "service": "SeaweedFS on this machine"            the replacement for a hosted service
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

from sectax.model.plan import SERVICE, Plan
from sectax.model.treatment import MEASURED, Comparison, Treatment
from sectax.text.printable import printable

# Subjects named in a warning that many share; --all and the JSON report name all.
MOST_SUBJECTS = 4


def treatment(plan: Plan, treatment_id: str) -> str:
    """The label of a treatment inside its cell: the levels that are not the cell's."""
    match = _find(plan, treatment_id)
    if match is None:
        return printable(treatment_id)
    cell = plan.cell(match.cell)
    own = [level(factor, name) for factor, name in match.levels.items() if factor not in cell.levels]
    return printable(" · ".join(own) or match.id)


def cell(plan: Plan, cell_id: str) -> str:
    """The title of a cell: its levels of varying factors; empty for a single cell."""
    varying = set(varying_factors(plan))
    levels = plan.cell(cell_id).levels
    return printable(" · ".join(level(factor, name) for factor, name in levels.items() if factor in varying))


def varying_factors(plan: Plan) -> tuple[str, ...]:
    """The factors, other than the control, with several levels in this run."""
    levels_by_factor: dict[str, set[str]] = {}
    for its_cell in plan.cells:
        for factor, level in its_cell.levels.items():
            levels_by_factor.setdefault(factor, set()).add(level)
    return tuple(factor for factor, levels in levels_by_factor.items() if len(levels) > 1)


def service(plan: Plan) -> str:
    """The replacement for a hosted service, or nothing."""
    return printable(plan.words.get(SERVICE, ""))


def constants(plan: Plan) -> str:
    """The levels that hold for the whole run: 'language php, layer primitive'."""
    varying = set(varying_factors(plan))
    levels = plan.cells[0].levels if plan.cells else {}
    return printable(", ".join(f"{factor} {level}" for factor, level in levels.items() if factor not in varying))


def subject(plan: Plan, subject_id: str) -> str:
    """The label of a warning's subject: levels, or an unknown id unchanged."""
    comparison: Comparison | None = next(
        (comparison for comparison in plan.comparisons if comparison.id == subject_id), None
    )
    match = _find(plan, comparison.treatment if comparison else subject_id)
    if match is None:
        named = any(cell.id == subject_id for cell in plan.cells)
        return (cell(plan, subject_id) if named else "") or printable(subject_id)
    parts = [cell(plan, match.cell), treatment(plan, match.id)]
    if match.role not in MEASURED:
        parts.append(match.role.replace("-", " "))
    if comparison is not None and sum(metric.compared for metric in plan.metrics) > 1:
        parts.append(metric(plan, comparison.metric))
    return " · ".join(part for part in parts if part)


def labels_by_id(plan: Plan) -> dict[str, str]:
    """Labels of treatments, comparisons and cells by id, and of metrics by `:NAME`."""
    ids = [*(treatment.id for treatment in plan.treatments), *(comparison.id for comparison in plan.comparisons)]
    named = {subject_id: subject(plan, subject_id) for subject_id in (*ids, *(cell.id for cell in plan.cells))}
    named |= {f":{measure.name}": f" · {metric(plan, measure.name)}" for measure in plan.metrics}
    return {subject_id: name for subject_id, name in named.items() if name != subject_id}


def plan_labeller(plan: Plan) -> Callable[[str], str]:
    """`labeller` with the labels of a plan, collected on first use."""
    cached_labeller = functools.cache(lambda: labeller(labels_by_id(plan)))

    def label(text: str) -> str:
        return cached_labeller()(text)

    return label


def labeller(named: Mapping[str, str]) -> Callable[[str], str]:
    """Make a function that replaces ids by labels and makes a text printable."""
    if not named:
        return printable
    longest_first = sorted(named, key=len, reverse=True)
    # An id may be a prefix of another one, and part of a word.
    any_id = "|".join(map(re.escape, longest_first))
    ids = re.compile(rf"(?<![\w/])({any_id})(:\w+)?(?![\w/#])")
    return lambda text: printable(ids.sub(lambda match: named[match[1]] + named.get(match[2], match[2] or ""), text))


def group_labels(plan: Plan, ids: tuple[str, ...], *, show_all: bool = False) -> list[str]:
    """Labels of treatments with one message: all, or common levels, or an example.

    Some were skipped, and some are not in the plan, such as the empty operation in the pilot.
    """
    skipped = {skip.treatment: skip.levels for skip in plan.skipped}
    varied = {factor.name for factor in plan.factors if len(factor.levels) > 1}

    def label(name: str) -> str:
        own = [level(factor, named) for factor, named in skipped.get(name, {}).items() if factor in varied]
        return printable(" · ".join(own)) or subject(plan, name)

    if show_all or len(ids) <= MOST_SUBJECTS:
        return [label(name) for name in ids]
    levels_by_id = skipped | {treatment.id: treatment.levels for treatment in plan.treatments}
    levels = [levels_by_id.get(name, {}) for name in ids]
    shared = set(levels[0].items()).intersection(*(own_levels.items() for own_levels in levels[1:]))
    common = [f"{name} {level}" for name, level in levels[0].items() if name in varied and (name, level) in shared]
    if common:
        return [printable(f"{len(ids)} treatments with {', '.join(common)}")]
    return [f"{len(ids)} {'treatments' if all(levels) else 'subjects'} such as {label(ids[0])}"]


def metric(plan: Plan, name: str) -> str:
    """The label of a metric: the experiment's word `metric=NAME`, or its name."""
    return printable(plan.words.get(f"metric={name}", name.replace("_", " ")))


def _find(plan: Plan, treatment_id: str) -> Treatment | None:
    return next((treatment for treatment in plan.treatments if treatment.id == treatment_id), None)


def level(factor: str, name: str) -> str:
    """The label of a level without context: '128' becomes 'memory_mb 128'."""
    name = name.partition("=/")[0]  # drop the path of a named folder
    return f"{factor} {name}" if name[:1].isdigit() else name
