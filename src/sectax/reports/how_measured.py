"""What somebody needs to repeat a run, or to judge it: the command, what was compared, machine and software."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sectax.model.analysed import Analysed
from sectax.model.environment import COMMAND_LINE
from sectax.model.printable import printable

# Hashes and protocol versions tell programs that two runs differ, and people nothing.
_TELL_NOBODY = frozenset({"files", "probe"})
# These values name themselves.
_SPEAK_ALONE = frozenset({"", "runtime", "cpu_model", "python"})


def how_measured(analysed: Analysed) -> Iterator[str]:
    """A line for each fact; none where no session is recorded."""
    measured, plan = analysed.measured, analysed.measured.plan
    if not measured.sessions:
        return
    session = measured.sessions[0]
    command = session.circumstances.get(COMMAND_LINE)
    if command:
        yield f"called as: {printable(command)}"
    yield f"order of the trials: drawn from seed {plan.seed}"
    baselines = {plan.treatment(cell.baseline).levels.get(plan.control, "") for cell in plan.cells} - {"baseline"}
    for factor in plan.factors:
        used = {each.levels.get(factor.name) for each in plan.treatments}
        marked = baselines if factor.name == plan.control else set()
        levels = [f"{each} (baseline)" if each in marked else each for each in factor.levels if each in used]
        if levels:
            yield printable(f"{factor.name}: {', '.join(levels)}")
    yield from _software(session.whole_identity())


def _software(identity: Mapping[str, str]) -> Iterator[str]:
    """A line for the machine, and for each runtime with its libraries."""
    groups: dict[str, list[str]] = {}
    for name, value in identity.items():
        kind, _, rest = name.partition(".")
        known = rest.removeprefix("library_").replace("_", " ")
        if rest not in _TELL_NOBODY:
            groups.setdefault(kind, []).append(value if rest in _SPEAK_ALONE else f"{known} {value}")
    for kind, values in groups.items():
        yield printable(f"{'machine' if kind == 'host' else kind}: {', '.join(values)}")
