"""The conformance suite: tests any program as a probe."""

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
from sectax.experiments.on_probe.failures import PROBE_ERRORS, describe_failure, redacted
from sectax.text.printable import printable

__all__ = ["Case", "CheckResult", "CheckStatus", "Vectors", "check_probe", "claimed_operations"]


_GREETING_IDS = frozenset(check.id for check in GREETING)


class CheckStatus(StrEnum):
    """The result of a check; skipped if it does not apply."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check, safe to print; `case` is the operation or ''."""

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
    """Test a program as a probe, which may hang, flood or crash.

    Args:
        argv, cwd: the command and its working directory.
        cases: operations to test, with inputs and a referee; without cases only `empty` is tested.
        only: identifiers of the checks to run; None for all. Greeting checks always run.
        patience_s: seconds that the program may take for any step.
    Returns:
        One result per check, as soon as it is known. Each check starts a new process.
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
    """Return the operations that a program offers; None if its greeting is invalid."""
    try:
        with ProbeProgram(argv, cwd, patience_s).start() as conversation:
            return frozenset(operation.name for operation in conversation.hello().operations)
    except PROBE_ERRORS:
        return None


class _Suite:
    """Runs checks, except those that are not selected or can no longer be judged."""

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
            yield CheckResult(check_id, CheckStatus.SKIPPED, f"{needed} must pass first", case=case)
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
    except PROBE_ERRORS as trouble:
        return CheckResult(check_id, CheckStatus.FAILED, _safe(f"it {describe_failure(trouble)}"), hint, case)
    return CheckResult(check_id, CheckStatus.PASSED, _safe(outcome), case=case)
