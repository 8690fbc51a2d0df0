"""Checks of an operation's work: right results, and slower than `empty`."""

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
from sectax.experiments.on_probe.failures import PROBE_ERRORS
from sectax.model.subject import Referee
from sectax.protocol.messages import PrepareReply
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped
from sectax.text import units
from sectax.text.printable import printable

# Short, since there are over a hundred cases; longer batches of `empty` have checked the clocks.
_BATCH_S = 0.006
_REPEATS = 2
# For about a second a JVM's operations become faster by this factor or more between two sizings.
_FASTER, _COMPILES = 0.85, 40
_COUNTED = 5
_SHOWN = 200


@dataclass(frozen=True)
class Vectors:
    """Test vectors of a public collection.

    Attributes:
        source: the collection's name and part.
        vectors: number, artefact, validity.
    """

    source: str
    vectors: tuple[tuple[int, str, bool], ...] = field(repr=False)


@dataclass(frozen=True)
class Case:
    """One operation to test.

    Attributes:
        operation, parameters, inputs: as in `prepare`.
        referee: judge of the operation's results; None to skip that.
        spoiled_inputs: inputs with which each operation must fail (a tampered token to verify), to check `failures`;
            None to skip that.
        vectors: test vectors for these inputs; no other check is then made.
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


# Prerequisites of all other checks of a case.
CASE_GREETING = ("prepare-answers", "witness-answers")
VECTORS = "vectors-judged"

# Identifier, function, hint for the author.
Step = tuple[str, Callable[[], str], str]


class CaseConversation:
    """The checks of one case, in one process, in order."""

    def __init__(self, program: ProbeProgram, case: Case) -> None:
        self._program = program
        self._case = case
        self._conversation: Conversation | None = None
        self._flaws: dict[Flaw, str] = {}
        self._has_artefact = False
        self._sized: Batches | None = None
        self._over = "the probe was not started"

    def steps(self) -> Iterator[Step]:
        """Yield the checks with hints, until one ends the conversation."""
        for check_id, run, hint in self._all_steps():
            yield check_id, partial(self._guarded, check_id, run), hint

    def _all_steps(self) -> Iterator[Step]:
        """Lazy, since earlier checks decide whether later ones apply."""
        case, referee, sound = self._case, self._case.referee, self._sound_unless
        yield "prepare-answers", self._prepare, "answer ok with witnesses, or skipped with the reason"
        if case.vectors is not None:
            yield VECTORS, partial(self._judge_vectors, case.vectors), "refuse what is invalid, accept what is valid"
            return
        yield "witness-answers", self._witness, "answer witness with artefact and accepted"
        if referee is not None:
            claim = partial(sound, Flaw.GENUINE, "genuine artefacts are accepted")
            yield Flaw.GENUINE, claim, "accept artefacts of the independent implementation"
            claim = partial(sound, Flaw.TAMPERED, "tampered artefacts are refused")
            yield Flaw.TAMPERED, claim, "the timed code must check, not only parse"
            if self._has_artefact or referee.expects_artefact:
                claim = partial(sound, Flaw.ARTEFACT, "its results are correct")
                yield Flaw.ARTEFACT, claim, "show the result of the timed code"
        yield UNIT, lambda: elapsed_plausible(self._running(), self._batches().count), PLAUSIBLE_HINT
        yield "count-scales", lambda: count_scales(self._running(), self._batches().count, _REPEATS), SCALES_HINT
        if case.operation != "empty":
            yield "costs-more-than-empty", self._costs_more_than_empty, "do the work inside the timed loop"
        if referee is not None:
            yield "sound-afterwards", self._sound_afterwards, "do not change the operation while measuring it"
        if case.spoiled_inputs is not None:
            yield "failures-reported", self._failures_reported, "count each operation with a wrong result"

    def end(self, because: str = "") -> None:
        """Kill the process in any state."""
        self._over = because
        if self._conversation is not None:
            self._conversation.child.kill()
            self._conversation = None

    def _guarded(self, check_id: str, run: Callable[[], str]) -> str:
        try:
            return run()
        except PROBE_ERRORS:
            self.end(f"the probe ended at {check_id}")
            raise

    def _running(self) -> Conversation:
        if self._conversation is None:
            raise NotApplicable(self._over)
        return self._conversation

    def _batches(self) -> Batches:
        """Size a batch for checks of times, again while a compiler helps."""
        if self._sized is None:
            self._sized = size_batch(self._running(), _BATCH_S)
            for _ in range(_COMPILES):
                before, self._sized = self._sized, size_batch(self._running(), _BATCH_S)
                if self._sized.per_operation_s > _FASTER * before.per_operation_s:
                    break
        return self._sized

    def _prepare(self) -> str:
        conversation = self._conversation = self._program.start()
        conversation.hello()
        case = self._case
        try:
            reply: PrepareReply = conversation.prepare(case.operation, case.parameters, case.inputs)
        except AnsweredSkipped as skipped:
            reason = printable(skipped.reason, _SHOWN)
            self.end(f"the probe skips it: {reason}")
            raise NotApplicable(reason, printable(skipped.hint, _SHOWN)) from skipped
        witnessed = ", ".join(f"{name}={value}" for name, value in reply.witnesses.items())
        return printable(f"prepared; witnesses: {witnessed or 'none'}", _SHOWN)

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
        return f"{len(judged)} vectors of {vectors.source} are judged correctly"

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
        return f"an operation takes {units.digits(ratio, 3)} times as long as an empty one"

    def _sound_afterwards(self) -> str:
        flaws = witness(self._running(), self._case.operation, self._case.referee).flaws
        new = {flaw: text for flaw, text in flaws.items() if flaw not in self._flaws}
        if new:
            raise CheckFailed(printable("; ".join(new.values()), _SHOWN))
        return "after the measurement its replies are the same"

    def _failures_reported(self) -> str:
        conversation, case = self._running(), self._case
        try:
            conversation.prepare(case.operation, case.parameters, case.spoiled_inputs or {})
            reply = conversation.measure(_COUNTED)
        except (AnsweredFailed, AnsweredSkipped):
            return "spoiled inputs are refused"
        if reply.failures != _COUNTED:
            raise CheckFailed(f"it reported {reply.failures} failures; all {_COUNTED} operations must fail")
        return f"{_COUNTED} operations that must fail are reported as failures"


@functools.lru_cache(maxsize=4)  # the same for all cases
def _fastest_empty(program: ProbeProgram) -> Batches:
    """Return the fastest of a few batches of empty operations."""
    with program.start_operation("empty", {}, {}) as conversation:
        count = size_batch(conversation, _BATCH_S).count
        return Batches(count, min(conversation.measure(count).elapsed_ns[0] for _ in range(_COUNTED)) * 1e-9)
