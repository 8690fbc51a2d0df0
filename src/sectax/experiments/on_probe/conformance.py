"""The conformance suite: tries any program as a probe, and names what fails."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from sectax.experiments.on_probe.checks import CheckFailed, NotApplicable
from sectax.experiments.on_probe.checks.clock import CLOCK, TIMED, UNIT
from sectax.experiments.on_probe.checks.cpu import CPU
from sectax.experiments.on_probe.checks.protocol_checks import GREETING, PROTOCOL
from sectax.experiments.on_probe.checks.work import CASE_GREETING, Case, CaseConversation, Vectors
from sectax.experiments.on_probe.conversation import ProbeProgram
from sectax.experiments.on_probe.failures import ProbeTrouble, redacted, story
from sectax.text.printable import printable

__all__ = ["Case", "CheckResult", "CheckStatus", "Vectors", "check_probe", "claimed_operations"]


_GREETING_IDS = frozenset(check.id for check in GREETING)


class CheckStatus(StrEnum):
    """Skipped says nothing about the probe: the check does not apply, or an earlier one has to pass first."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class CheckResult:
    """What one check saw. Message and hint are safe to print; `case` names the operation tried, empty for none."""

    id: str
    status: CheckStatus
    message: str
    hint: str = ""
    case: str = ""


def check_probe(
    argv: Sequence[str],
    cwd: str | Path | None = None,
    *,
    cases: Iterable[Case] = (),
    only: Container[str] | None = None,
    patience_s: float = 10.0,
) -> Iterator[CheckResult]:
    """Try a program as a probe. It may hang, flood, die or not exist: that is what the results say.

    Args:
        argv, cwd: the command, and where it runs.
        cases: operations to try, with inputs and a referee; without any, only `empty` is tried.
        only: identifiers of the checks to make; None for all. Those of the greeting are always made.
        patience_s: seconds that the program may take over anything.
    Returns:
        One result per check as soon as it is known, in the order in which they are made. Every check starts the program
        afresh.
    """
    program = ProbeProgram(tuple(argv), cwd, patience_s)
    suite = _Suite(only)
    for check in (*GREETING, *PROTOCOL, *CLOCK, *CPU):
        yield from suite.make(check.id, partial(check.run, program), check.hint)
    for case in cases:
        conversation = CaseConversation(program, case)
        secrets = (*case.inputs.values(), *(case.spoiled_inputs or {}).values())
        try:
            for check_id, run, hint in conversation.steps():
                yield from suite.make(check_id, run, hint, case.name, secrets)
        finally:
            conversation.end()


def claimed_operations(
    argv: Sequence[str], cwd: str | Path | None = None, patience_s: float = 10.0
) -> frozenset[str] | None:
    """The operations that a program says it has; None where it does not greet as a probe must."""
    try:
        with ProbeProgram(argv, cwd, patience_s).start() as interview:
            return frozenset(operation.name for operation in interview.hello().operations)
    except ProbeTrouble:
        return None


class _Suite:
    """Makes checks one by one, leaving out those that were not asked for or can say nothing any more."""

    def __init__(self, only: Container[str] | None) -> None:
        self._only = only
        self._greeting_failed = ""
        self._unit_failed = False

    def make(
        self, check_id: str, run: Callable[[], str], hint: str, case: str = "", secrets: Sequence[str] = ()
    ) -> Iterator[CheckResult]:
        greeting = not case and check_id in _GREETING_IDS
        if self._only is not None and check_id not in self._only and not greeting and check_id not in CASE_GREETING:
            return
        needed = self._greeting_failed or (UNIT if self._unit_failed and check_id in TIMED else "")
        if needed:
            yield CheckResult(check_id, CheckStatus.SKIPPED, f"{needed} has to pass first", case=case)
            return
        result = _try(check_id, run, hint, case, secrets)
        if result.status is CheckStatus.FAILED:
            if greeting:
                self._greeting_failed = check_id
            self._unit_failed |= check_id == UNIT
        yield result


def _try(check_id: str, run: Callable[[], str], hint: str, case: str = "", secrets: Sequence[str] = ()) -> CheckResult:
    def _safe(text: str) -> str:
        return printable(redacted(text, secrets))

    try:
        outcome = run()
    except CheckFailed as failed:
        return CheckResult(check_id, CheckStatus.FAILED, _safe(str(failed)), failed.hint or hint, case)
    except NotApplicable as error:
        return CheckResult(check_id, CheckStatus.SKIPPED, _safe(str(error)), _safe(error.hint), case)
    except ProbeTrouble as trouble:
        return CheckResult(check_id, CheckStatus.FAILED, _safe(f"it {story(trouble)}"), hint, case)
    return CheckResult(check_id, CheckStatus.PASSED, _safe(outcome), case=case)
