"""The audit's own verdict, in one sentence that cannot be read as a pass where little was looked at; and the seal's."""

from __future__ import annotations

from sectax.model.audited import Audited, Status
from sectax.model.finding import Severity
from sectax.model.printable import printable
from sectax.model.seal import Seal, SealState


def audit_sentence(audited: Audited) -> str:
    """What falls, what is doubtful, and how many of the checks that concern the target could be made."""
    if audited.own and not audited.figures:
        return f"Nothing was measured, so there is no verdict{' (F)' if audited.is_fatal else ''}"
    found = _found(audited)
    return f"{found}. {_made(audited)}" if found else _made_and_found_nothing(audited)


def count(number: int, noun: str) -> str:
    """'1 figure', '2 figures'."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _found(audited: Audited) -> str:
    """What is marked F or W; empty where nothing is."""
    fatal, warned = audited.tally().fatal, audited.tally().warned
    of = f"of {count(audited.figures, 'comparison' if audited.own else 'figure')}"
    parts = []
    if fatal:
        falls = f"{_verb(fatal, 'loses its', 'lose their')} verdict" if audited.own else "cannot stand"
        parts.append(f"{fatal} {of} {falls} (F)")
    if warned:
        doubt = (
            _verb(warned, "carries", "carry") + " a warning"
            if audited.own
            else _verb(warned, "needs", "need") + " care"
        )
        parts.append(f"{warned} {'more' if fatal else of} {doubt} (W)")
    parts += _beside(audited)
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + f" and {parts[-1]}" if parts else ""


def _made(audited: Audited) -> str:
    """'3 checks of 12 could be made': so few are no pass."""
    made, all_ = _checks(audited)
    if made == all_:
        return f"All {count(all_, 'check')} could be made"
    return f"{'Only ' if 2 * made < all_ else ''}{count(made, 'check')} of {all_} could be made"


def _made_and_found_nothing(audited: Audited) -> str:
    made, all_ = _checks(audited)
    if not made:
        return f"None of {count(all_, 'check')} could be made, so nothing is known" if all_ else "No check applies here"
    if 2 * made < all_:
        return f"{_made(audited)}, which is not a pass; {_verb(made, 'it', 'they')} found nothing"
    if made < all_:
        return f"Nothing was found by the {count(made, 'check')} of {all_} that could be made"
    return f"Nothing was found by {f'any of the {all_} checks' if all_ > 1 else 'the one check'} that could be made"


def _checks(audited: Audited) -> tuple[int, int]:
    """How many checks could be made, and how many apply."""
    made = audited.count(Status.FIRED) + audited.count(Status.SILENT)
    return made, made + audited.count(Status.UNCHECKED)


def _beside(audited: Audited) -> list[str]:
    """The warnings that no figure is counted for; nothing where there are none."""
    beside = audited.beside()
    both = ((beside.fatal, Severity.FATAL), (beside.warned, Severity.WARNING))
    return [
        f"{count(number, 'warning')} {_verb(number, 'is', 'are')} about a side or all of it ({severity.value})"
        for number, severity in both
        if number
    ]


def _verb(number: int, one: str, several: str) -> str:
    return one if number == 1 else several


def seal_sentence(seal: Seal) -> str:
    """Whether a run file is sealed, by whom, and what that is worth."""
    match seal.state:
        case SealState.NOT_SEALED:
            return "Not sealed: only the checks below support this file."
        case SealState.BROKEN:
            return f"Seal broken: {printable(seal.reason)}."
        case SealState.UNKNOWN:
            return f"Sealed, and not checked: {printable(seal.reason)}."
    who = f"{printable(seal.name)}, {seal.signer}" if seal.name else seal.signer
    how = "Sealed" if seal.state is SealState.SEALED else f"Sealed in part ({printable(seal.reason)})"
    trust = "" if seal.known else "; the file does not say whose key that is: compare it with what its author says"
    return (
        f"{how} with the key {who}, at {printable(seal.at)}{trust}. A seal shows that nothing was changed since. "
        "It does not show that the measuring was honest: whoever has the key can seal anything."
    )
