"""What a seal says of a run file: a signature of its author's over a chain of its blocks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SealState(StrEnum):
    SEALED = "sealed"  # all of it
    PARTLY = "partly-sealed"  # something came after the last seal
    NOT_SEALED = "not-sealed"
    BROKEN = "broken"  # what was sealed is not what is there
    STRANGER = "unknown-signer"  # it holds, and none of the signers that were asked for has sealed it
    UNKNOWN = "cannot-be-checked"


@dataclass(frozen=True)
class Seal:
    """What is known of the seals of one run file.

    Attributes:
        blocks: how many finished blocks are sealed, of `of_blocks`.
        signer: the fingerprint of the key; `name` is what a file of known signers calls it.
        at: when it was sealed, as the one who sealed says.
        reason: why it is broken, not whole, or cannot be checked.
        known: whether a file of known signers was given.
    """

    state: SealState
    blocks: int = 0
    of_blocks: int = 0
    signer: str = ""
    name: str = ""
    at: str = ""
    reason: str = ""
    known: bool = False
