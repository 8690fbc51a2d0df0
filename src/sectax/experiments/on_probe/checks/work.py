"""Does an operation do its work? Genuine accepted, tampered refused, what it makes sound, and slower than nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from sectax.experiments.on_probe.checks import CheckFailed, NotApplicable
from sectax.experiments.on_probe.checks.clock import (
    PLAUSIBLE_HINT,
    SCALES_HINT,
    UNIT,
    Batches,
    count_scales,
    elapsed_plausible,
    size_batch,
)
from sectax.experiments.on_probe.conversation import Conversation, Flaw, ProbeProgram, witness
from sectax.experiments.on_probe.failures import ProbeTrouble
from sectax.model.subject import Referee
from sectax.protocol.messages import PrepareReply
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped
from sectax.text.printable import printable

# The clocks have been judged by longer batches of `empty`; there are a hundred cases and more.
_BATCH_S = 0.006
_REPEATS = 2
# A JVM's operations become faster by this much or more between two sizings, for about a second.
_FASTER, _COMPILES = 0.85, 40
_COUNTED = 5
_SHOWN = 200


@dataclass(frozen=True)
class Vectors:
    """Artefacts of a public collection: the number of each, itself, and whether it is valid.

    Attributes:
        source: the collection's name and part.
    """

    source: str
    vectors: tuple[tuple[int, str, bool], ...] = field(repr=False)


@dataclass(frozen=True)
class Case:
    """One operation to try, with what its experiment knows of it.

    Attributes:
        operation, parameters, inputs: as in `prepare`.
        referee: judges what the operation makes and what it accepts; None: not judged.
        spoiled_inputs: inputs with which every operation must come out wrong (a tampered token to verify), so that
            `failures` can be checked; None: not checked.
        vectors: presented under these inputs, which are those of the collection; nothing else is then tried or timed.
    """

    operation: str
    parameters: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict, repr=False)
    referee: Referee | None = field(default=None, repr=False)
    spoiled_inputs: dict[str, str] | None = field(default=None, repr=False)
    vectors: Vectors | None = None

    @property
    def name(self) -> str:
        """`sign algorithm=RS256 layer=primitive`"""
        levels = [f"{name}={level}" for name, level in sorted(self.parameters.items())]
        return " ".join([self.operation, *levels, *([self.vectors.source] if self.vectors else [])])


# What all other checks of a case build on.
CASE_GREETING = ("prepare-answers", "witness-answers")
VECTORS = "vectors-judged"

# Identifier, what to run, and a hint for the author: one step of a conversation about a case.
Step = tuple[str, Callable[[], str], str]


class CaseConversation:
    """The checks of one case, in one process, in order."""

    def __init__(self, program: ProbeProgram, case: Case) -> None:
        self._program = program
        self._case = case
        self._interview: Conversation | None = None
        self._flaws: dict[Flaw, str] = {}
        self._has_artefact = False
        self._sized: Batches | None = None
        self._over = "the probe was not started"

    def steps(self) -> Iterator[Step]:
        """Every check that applies, with its hint. Once one breaks the conversation off, none after it applies."""
        for check_id, run, hint in self._all_steps():
            yield check_id, partial(self._guarded, check_id, run), hint

    def _all_steps(self) -> Iterator[Step]:
        """Each is made when its turn comes: what came before it can say whether it tells anything about this case."""
        case, referee, sound = self._case, self._case.referee, self._sound_unless
        yield "prepare-answers", self._prepare, "answer ok with witnesses, or skipped with the reason"
        if case.vectors is not None:
            yield VECTORS, partial(self._judge_vectors, case.vectors), "refuse what is invalid, accept what is valid"
            return
        yield "witness-answers", self._witness, "answer witness with artefact and accepted"
        if referee is not None:
            claim = partial(sound, Flaw.GENUINE, "what is genuine is accepted")
            yield Flaw.GENUINE, claim, "accept what the independent implementation has made"
            claim = partial(sound, Flaw.TAMPERED, "what was tampered with is refused")
            yield Flaw.TAMPERED, claim, "the code that is timed must check, not only parse"
            if self._has_artefact or referee.expects_artefact:
                claim = partial(sound, Flaw.ARTEFACT, "what it makes is sound")
                yield Flaw.ARTEFACT, claim, "show what the code that is timed makes"
        yield UNIT, lambda: elapsed_plausible(self._running(), self._batches().count), PLAUSIBLE_HINT
        yield "count-scales", lambda: count_scales(self._running(), self._batches().count, _REPEATS), SCALES_HINT
        if case.operation != "empty":
            yield "costs-more-than-empty", self._costs_more_than_empty, "do the work inside the timed loop"
        if referee is not None:
            yield "sound-afterwards", self._sound_afterwards, "leave the operation as it was after measuring it"
        if case.spoiled_inputs is not None:
            yield "failures-reported", self._failures_reported, "count every operation whose result is wrong"

    def end(self, because: str = "") -> None:
        """End the process, whatever has become of it."""
        self._over = because
        if self._interview is not None:
            self._interview.child.kill()
            self._interview = None

    def _guarded(self, check_id: str, run: Callable[[], str]) -> str:
        try:
            return run()
        except ProbeTrouble:
            self.end(f"the probe did not get past {check_id}")
            raise

    def _running(self) -> Conversation:
        if self._interview is None:
            raise NotApplicable(self._over)
        return self._interview

    def _batches(self) -> Batches:
        """As many operations as the checks of times take, sized once: again while a compiler makes them faster."""
        if self._sized is None:
            self._sized = size_batch(self._running(), _BATCH_S)
            for _ in range(_COMPILES):
                before, self._sized = self._sized, size_batch(self._running(), _BATCH_S)
                if self._sized.per_operation_s > _FASTER * before.per_operation_s:
                    break
        return self._sized

    def _prepare(self) -> str:
        interview = self._interview = self._program.start()
        interview.hello()
        case = self._case
        try:
            reply: PrepareReply = interview.prepare(case.operation, case.parameters, case.inputs)
        except AnsweredSkipped as skipped:
            reason = printable(skipped.reason, _SHOWN)
            self.end(f"the probe skips it: {reason}")
            raise NotApplicable(reason, printable(skipped.hint, _SHOWN)) from skipped
        witnessed = ", ".join(f"{name}={value}" for name, value in reply.witnesses.items())
        return printable(f"it is ready; witnesses: {witnessed or 'none'}", _SHOWN)

    def _witness(self) -> str:
        witnessed = witness(self._running(), self._case.operation, self._case.referee)
        self._flaws = witnessed.flaws
        self._has_artefact = witnessed.reply.artefact is not None
        return f"{len(witnessed.reply.accepted)} artefacts were judged"

    def _judge_vectors(self, vectors: Vectors) -> str:
        accepted = self._running().witness([artefact for _, artefact, _ in vectors.vectors]).accepted
        judged = list(zip(vectors.vectors, accepted, strict=True))
        flaws = [
            f"it {verb} {', '.join(wrong)}, which {'are' if wrong[1:] else 'is'} {'valid' if valid else 'invalid'}"
            for verb, valid in (("accepts", False), ("refuses", True))
            if (wrong := [str(number) for (number, _, is_valid), answer in judged if is_valid is valid is not answer])
        ]
        if flaws:
            raise CheckFailed(f"{vectors.source}: {'; '.join(flaws)}")
        return f"{len(judged)} vectors of {vectors.source} are judged rightly"

    def _sound_unless(self, flaw: Flaw, satisfied: str) -> str:
        self._running()
        if flaw in self._flaws:
            raise CheckFailed(printable(self._flaws[flaw], _SHOWN))
        return satisfied

    def _costs_more_than_empty(self) -> str:
        self._running()
        operation, empty = self._batches(), _fastest_empty(self._program)
        ratio = operation.per_operation_s / empty.per_operation_s if empty.seconds else float("inf")
        if ratio <= 1.0:
            raise CheckFailed(f"an operation takes {ratio:.2f} times as long as an empty one")
        return f"an operation takes {ratio:.3g} times as long as an empty one"

    def _sound_afterwards(self) -> str:
        flaws = witness(self._running(), self._case.operation, self._case.referee).flaws
        new = {flaw: text for flaw, text in flaws.items() if flaw not in self._flaws}
        if new:
            raise CheckFailed(printable("; ".join(new.values()), _SHOWN))
        return "after the measurement it answers as before"

    def _failures_reported(self) -> str:
        interview, case = self._running(), self._case
        try:
            interview.prepare(case.operation, case.parameters, case.spoiled_inputs or {})
            reply = interview.measure(_COUNTED)
        except (AnsweredFailed, AnsweredSkipped):
            return "spoiled inputs are refused"
        if reply.failures != _COUNTED:
            raise CheckFailed(
                f"{_COUNTED} operations must have come out wrong, {reply.failures} failures were reported"
            )
        return f"{_COUNTED} operations that must come out wrong are reported as failures"


@functools.lru_cache(maxsize=4)  # it is the same of every case
def _fastest_empty(program: ProbeProgram) -> Batches:
    """The quickest of a few batches: what an empty operation costs with the least of the machine's noise."""
    with program.start_operation("empty", {}, {}) as interview:
        count = size_batch(interview, _BATCH_S).count
        return Batches(count, min(interview.measure(count).elapsed_ns[0] for _ in range(_COUNTED)) * 1e-9)
