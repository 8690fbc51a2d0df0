"""Makes sure that the real thing is measured: a probe must accept what is genuine and refuse what is tampered with."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from enum import StrEnum

from sectax.model.subject import Referee
from sectax.protocol.messages import WitnessReply
from sectax.subjects.probe.conversation import Conversation


class Flaw(StrEnum):
    """What a witness can get wrong, by the stable identifiers of the conformance checks."""

    GENUINE = "genuine-accepted"
    TAMPERED = "tampered-refused"
    ARTEFACT = "artefact-sound"


@dataclass(frozen=True)
class Witnessed:
    """A probe's answer, and what is wrong with it (empty where it is sound)."""

    reply: WitnessReply
    flaws: dict[Flaw, str]


def witness(conversation: Conversation, operation: str, referee: Referee | None) -> Witnessed:
    """Present genuine and tampered artefacts in a random order, and have the probe's own judged.

    Without a referee nothing is presented and nothing judged.

    Raises: what `Conversation` raises.
    """
    if referee is None:
        return Witnessed(conversation.witness([]), {})
    presented = [(artefact, True) for artefact in referee.genuine()]
    presented += [(artefact, False) for artefact in referee.tampered()]
    # From the system's randomness: a probe must not be able to know the order.
    secrets.SystemRandom().shuffle(presented)
    reply = conversation.witness([artefact for artefact, _ in presented])
    flaws: dict[Flaw, str] = {}
    answers = [(genuine, accepted) for (_, genuine), accepted in zip(presented, reply.accepted, strict=True)]
    refused = answers.count((True, False))
    if refused:
        flaws[Flaw.GENUINE] = f"it refused {refused} of {_number(answers, True)} genuine artefacts"
    accepted = answers.count((False, True))
    if accepted:
        flaws[Flaw.TAMPERED] = f"it accepted {accepted} of {_number(answers, False)} tampered artefacts"
    fault = _judge(reply.artefact, operation, referee)
    if fault is not None:
        flaws[Flaw.ARTEFACT] = fault
    return Witnessed(reply, flaws)


def _number(answers: list[tuple[bool, bool]], genuine: bool) -> int:
    return sum(1 for is_genuine, _ in answers if is_genuine is genuine)


def _judge(artefact: str | None, operation: str, referee: Referee) -> str | None:
    if artefact is None:
        return f"it showed nothing that {operation} has made" if referee.expects_artefact else None
    fault = referee.judge(artefact)
    return None if fault is None else f"what it made is not sound: {fault}"
