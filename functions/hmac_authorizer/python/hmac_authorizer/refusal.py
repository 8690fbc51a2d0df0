"""Why an event is not authorized. The words are constants: nothing that was sent comes back, and nothing secret."""

from __future__ import annotations

# One answer for a wrong token and a wrong salt: whoever guesses must not learn which of the two was wrong.
NOT_GENUINE = "the token is not genuine"
NOT_CHECKED = "nothing was checked"


class Refused(Exception):
    """The event is refused; the message is the reason that is given back."""


Answer = dict[str, object]


def refused(reason: str) -> Answer:
    """The answer to an event that is not authorized."""
    return {"isAuthorized": False, "reason": reason}
