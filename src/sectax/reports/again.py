"""The command that measures the same once more."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from sectax.model.plan import Plan, Until
from sectax.model.treatment import Standing

# Levels that can be named on a command line; others follow from the options that made them.
_NAMEABLE = re.compile(r"[\w.+/-]+")
# The option that no command has: where the commands ran.
_FOLDER = "folder"
_FLAG = ("yes",)


def repeat(plan: Plan) -> str:
    """A command with the same levels, rules and seed; it writes a run file of its own."""
    words = ["sectax", "run", plan.experiment, *_words(plan)]
    folder = "".join(f"cd {shlex.quote(each)} && " for each in plan.options.get(_FOLDER, ()))
    return folder + shlex.join(words)


def _words(plan: Plan) -> Iterator[str]:
    if plan.preset != "default":
        yield f"--{plan.preset}"
    for name, texts in plan.options.items():
        if name != _FOLDER:
            yield from (f"--{name}",) if texts == _FLAG else (word for text in texts for word in (f"--{name}", text))
    for factor in plan.factors:
        if all(_NAMEABLE.fullmatch(level) for level in factor.levels):
            yield from ("--level", f"{factor.name}={','.join(factor.levels)}")
    rules = plan.stopping
    yield from ("--margin", f"{100 * rules.margin:g}%")
    if rules.fixed_blocks is not None:
        yield from ("--blocks", str(rules.fixed_blocks))
    else:
        if rules.budget_s is not None and not rules.extends:
            yield from ("--budget", f"{rules.budget_s:g}s")
        if rules.max_blocks is not None:
            yield from ("--max-blocks", str(rules.max_blocks))
        if rules.until is Until.PRECISE:
            yield "--precise"
        elif rules.until is not Until.VERDICT:
            yield from ("--until", rules.until.value)
    if any(each.standing is Standing.SECONDARY and each.alpha < rules.alpha for each in plan.comparisons):
        yield "--simultaneous"
    yield from ("--seed", str(plan.seed))
