"""The least time of operations that their names tell, on the fastest machines there are.

Floors are generous, below what the fastest published code needs on one core. Of eBACS (bench.cr.yp.to) a signature with
Ed25519 or ECDSA on P-256 takes 15,000 cycles and more, one with RSA-1024 a quarter of a million. bcrypt with its least
cost, 4, does 33 key schedules of Blowfish with 521 encryptions each. A TLS handshake whose two sides are in one process
has four operations on a curve of 50,000 cycles each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Quantity

# Below a floor by this much no faster machine explains it.
FAR_BELOW = 10.0


@dataclass(frozen=True)
class Floor:
    """An operation, how a name says it, and its least time in seconds.

    Attributes:
        allocates: whether no library does it without allocating memory.
    """

    what: str
    named: re.Pattern[str]
    least_s: float
    allocates: bool = False


def _words(*patterns: str) -> re.Pattern[str]:
    """Words of a name in any order."""
    return re.compile("".join(rf"(?=.*\b(?:{pattern})\b)" for pattern in patterns))


FLOORS = (
    Floor("a TLS handshake", _words(r"m?tls|ssl", r"handshakes?"), 50e-6, allocates=True),
    Floor("a signature with RSA", _words("rsa", "sign|signing|signature"), 20e-6),
    Floor(
        "a key of RSA", _words("rsa", "keygen|generate|generation", "keygen|keys?|keypair|generate|generation"), 2e-4
    ),
    Floor("a signature on a curve", _words("ecdsa|eddsa|ed25519|ed448", "sign|signing|signature"), 2e-6),
    Floor("a hash by bcrypt", _words("bcrypt"), 2e-4),
)
# What else may be done with such a thing, or stand in for it.
_SOMETHING_ELSE = re.compile(
    r"\b(?:verif\w*|pars\w*|marshal\w*|unmarshal\w*|encod\w*|decod\w*|serial\w*|deserial\w*|valid\w*|config\w*|mock\w*"
    r"|fake\w*|stub\w*|dummy|cach\w*|hello|states?|records?|messages?|msgs?|headers?|lookup|costs?|new|create|init|pool"
    r"|queues?|check\w*|detect\w*|batch\w*|aggregat\w*|parallel\w*|concurrent\w*|multi|threads?|noop|empty|nil|baseline"
    r"|overhead|error|errors|invalid|reject\w*|fail\w*|policy|select\w*|match\w*|payload|size|len|import|export|copy"
    r"|equal\w*|compar\w*|recover\w*|input|hash|digest|prepare|metrics?|log\w*|client|server|amortized|precomput\w*)\b"
)
_NOT_A_PART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")


def too_short(evidence: Evidence) -> Iterator[tuple[Figure, Floor, bool]]:
    """Benchmarks below the floor of their name, and whether that is beyond doubt."""
    none = {
        figure.measurement or figure.levels.get("name", "")
        for figure in evidence.printed
        if figure.metric == "allocs/op" and figure.typical == 0
    }
    for figure in evidence.printed:
        if figure.quantity is not Quantity.TIME or figure.circumstances.calibrated is not True:
            continue
        seconds = figure.typical or 0.0
        floor = floor_of(figure.circumstances.operation or figure.id) if seconds > 0 else None
        if floor is not None and seconds < floor.least_s:
            without = floor.allocates and (figure.measurement or figure.levels.get("name", "")) in none
            yield figure, floor, without or FAR_BELOW * seconds < floor.least_s


def floor_of(name: str) -> Floor | None:
    """What a name says that is done, where it says nothing else besides."""
    words = " ".join(_NOT_A_PART.split(name[:400])).lower()
    # Curves and algorithms end in numbers: 'RSA2048' is RSA.
    words = re.sub(r"\b(rsa|ecdsa|tls|ssl|bcrypt|sign)v?\d+\b", r"\1", words)
    if _SOMETHING_ELSE.search(words):
        return None
    return next((floor for floor in FLOORS if floor.named.match(words)), None)
