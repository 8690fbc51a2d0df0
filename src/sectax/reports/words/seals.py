"""What a seal says, in a sentence, and what it does not say."""

from __future__ import annotations

from sectax.model.printable import printable
from sectax.model.seal import Seal, SealState


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
