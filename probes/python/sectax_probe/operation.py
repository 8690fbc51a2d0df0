"""One operation made ready: the call that is timed, and what can be asked about it outside the timing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sectax_probe import jose

Call = Callable[[], object]


def _none() -> None:
    return None


def _algorithm_of(token: str) -> dict[str, str | None]:
    return {"alg": jose.algorithm_of(token)}


def _nothing_is_accepted(token: str) -> bool:
    return False


class Operation(NamedTuple):
    """
    Attributes:
        call: the operation, everything bound. It says no by raising one of *refusals*.
        witnesses: what was read back from the key.
        refusals: the exceptions that are an answer (this signature is wrong) and not an accident.
        constant_size: every output has the length of any other, so that one stands for all.
        artefact: makes a complete token with the code that is timed, or None.
        accepts: whether the code that is timed, or its counterpart, takes this token.
        token: the token that the call verifies, if it verifies one.
        read_back: what is read off a token; None where the artefact is not one.
    """

    call: Call
    witnesses: dict[str, str | int]
    refusals: tuple[type[Exception], ...] = ()
    constant_size: bool = False
    artefact: Callable[[], str | None] = _none
    accepts: Callable[[str], bool] = _nothing_is_accepted
    token: str | None = None
    read_back: Callable[[str], dict[str, str | None]] | None = _algorithm_of


def empty() -> Operation:
    """What the loop and the call cost without anything in them: a closure like all the others."""

    def nothing() -> None:
        return None

    return Operation(call=nothing, witnesses={})


def accepted_by(
    verifier: Callable[[str], Call], refusals: tuple[type[Exception], ...]
) -> Callable[[str], bool]:
    """Judge tokens with fresh calls of *verifier*; anything but a refusal is an accident and goes up."""

    def accepts(token: str) -> bool:
        try:
            verifier(token)()
        except refusals:
            return False
        return True

    return accepts
