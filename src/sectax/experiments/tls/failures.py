"""Turns what went wrong with a connection into words for a person."""

from __future__ import annotations

from sectax.experiments.client_server.client import Answered
from sectax.hosts.process.errors import ChildDied, ChildSilent

UNSUPPORTED = "unsupported"
_REPORT = "report it"
_OWN = "the certificates of a run are made when it begins: resume it within 30 days, and see this machine's clock"

# By the kinds of clients/tls-go/PROTOCOL.md: what it means, and what to do.
_MEANINGS: dict[str, tuple[str, str]] = {
    "certificate-expired": ("the server's certificate has expired", _OWN),
    "certificate-name": ("the server's certificate is for another name", _REPORT),
    "certificate-untrusted": ("the server's certificate is signed by nobody whom the client trusts", _REPORT),
    "certificate": ("the server's certificate cannot be verified", _REPORT),
    "client-certificate": ("the server does not accept the client's certificate", _OWN),
    "tls": ("the two ends cannot agree", "leave this level out, or report it"),
    "not-tls": ("the server answers with something that is not TLS", _REPORT),
    "closed": ("the other end closed in the middle", _REPORT),
    "refused": ("the server does not listen any more", _REPORT),
    "timeout": ("nothing came in time", "is the machine overloaded?"),
    "exhausted": ("this machine has no port or file left for another connection", "wait a minute, then try again"),
    "varies": ("connections of one arm were not alike", _REPORT),
}


def story(error: Exception, doing: str) -> tuple[str, str]:
    """What happened, and what to do."""
    match error:
        case Answered():
            meaning, hint = _MEANINGS.get(error.kind, ("it failed", _REPORT))
            return f"{meaning} ({error.reason})", hint
        case ChildDied(out_of_memory=True):
            return f"an end was killed for memory ({doing})", "free some memory"
        case ChildSilent():
            return f"no answer to {doing} within {error.seconds:.0f} s", "is the machine overloaded?"
        case ChildDied():
            return f"an end ended ({doing}): {error}{f'; {error.last_line}' if error.last_line else ''}", _REPORT
    return f"an end failed ({doing}): {error}", _REPORT
