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
# So many things in a name, and a verb for all of them: at least a byte of each is looked at.
_THINGS = (
    r"(?:rows?|items?|entries|records?|lines?|elements?|elems?|stations?|keys|values|words|objects?|objs|messages?|msgs"
    r"|nodes|points|documents?|docs|users?|rules|tokens|files|events|measurements?|numbers|ints|strings|structs|fields"
    r"|transactions?|txs|orders|products|cities|people|persons|packets|logs|bytes)"
)
_AMOUNTS = (
    re.compile(rf"(?i)(?<![a-z]){_THINGS}[^A-Za-z0-9]?(\d{{1,9}}(?:[_,]\d{{3}})*)([km]?)(?![a-z0-9])"),
    re.compile(rf"(?i)(?<![0-9.])(\d{{1,9}}(?:[_,]\d{{3}})*)([km]?)[^A-Za-z0-9]?{_THINGS}(?![a-z])"),
)
_THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6}
# The whole of an input is read by these; of the others one may be an operation.
_WHOLE = re.compile(r"\b(?:pars\w+|unmarshal\w*|decod\w+|deserial\w+|sort\w*|tokeniz\w+|compress\w*)\b")
_EVERY = re.compile(
    r"\b(?:read|process|load|write|insert|convert|validate|serializ\w+|marshal|encode|build|generate|create|import|export"
    r"|iterat\w+|sum|scan|filter|map|reduce|aggregat\w+|count|copy|clone)\b"
)
_OF_ONE = re.compile(
    r"\b(?:lookup|get|find|search|contains?|has|next|peek|push|pop|one|single|first|last|per|each|rand\w*|plan|index\w*"
    r"|with|from|into?|open|limit|top|offset|schema|iterator|lazy|stream|sorted|add|append|of|among)\b"
)
MANY, LEAST_OF_A_THING_S = 1e3, 1e-10
# What is spread over many processors takes so much by itself.
SPREADS_S, MOST_PROCESSORS = 5e-5, 128.0
# 'sleep 0.5' and the like.
_SLEEPS = re.compile(r"sleep (\d{1,5}(?:\.\d{1,3})?)s?$")
# What else may be done with such a thing, or stand in for it.
_SOMETHING_ELSE = re.compile(
    r"\b(?:verif\w*|pars\w*|marshal\w*|unmarshal\w*|encod\w*|decod\w*|serial\w*|deserial\w*|valid\w*|config\w*|mock\w*"
    r"|fake\w*|stub\w*|dummy|cach\w*|hello|states?|records?|messages?|msgs?|headers?|lookup|costs?|new|create|init|pool"
    r"|queues?|check\w*|detect\w*|batch\w*|aggregat\w*|parallel\w*|concurrent\w*|multi|threads?|noop|empty|nil|baseline"
    r"|overhead|error|errors|invalid|reject\w*|fail\w*|policy|select\w*|match\w*|payload|size|len|import|export|copy"
    r"|equal\w*|compar\w*|recover\w*|input|hash|digest|prepare|metrics?|log\w*|client|server|amortized|precomput\w*)\b"
)
_SOMETHING_ELSE_OF_MANY = re.compile(
    r"\b(?:mock\w*|fake\w*|stub\w*|dummy|cach\w*|noop|empty|nil|baseline|overhead|invalid|error|errors|init|new|pool"
    r"|config\w*|size|len|amortized|precomput\w*|prepare\w*|reus\w*)\b"
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
        seconds, name = figure.typical or 0.0, figure.circumstances.operation or figure.id
        if figure.quantity is Quantity.TIME and (slept := _SLEEPS.match(name)) and 0 < seconds < 0.95 * float(slept[1]):
            yield figure, Floor(f"'{slept[0]}' takes", _SLEEPS, float(slept[1])), True
        if figure.quantity is not Quantity.TIME or figure.circumstances.calibrated is not True:
            continue
        if figure.statistic in (None, "mean", "median") and (many := _all_of_many(name, seconds)) is not None:
            yield figure, *many
        floor = floor_of(name) if seconds > 0 else None
        if floor is not None and seconds < floor.least_s:
            without = floor.allocates and (figure.measurement or figure.levels.get("name", "")) in none
            yield figure, floor, without or FAR_BELOW * seconds < floor.least_s


def _all_of_many(name: str, seconds: float) -> tuple[Floor, bool] | None:
    """The floor of work on so many things as a name tells, where its time is below; and whether all were to be read."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", re.sub(r"-\d{1,5}$", "", name[:400]))
    found = next((found for pattern in _AMOUNTS if (found := pattern.search(apart))), None)
    if found is None:
        return None
    words = " ".join(_NOT_A_PART.split(apart)).lower()
    is_whole = _WHOLE.search(words) is not None
    amount = float(re.sub(r"[_,]", "", found[1])) * _THOUSANDS[found[2].lower()]
    if not (is_whole or _EVERY.search(words)) or _OF_ONE.search(words) or _SOMETHING_ELSE_OF_MANY.search(words):
        return None
    least = amount * LEAST_OF_A_THING_S / (MOST_PROCESSORS if seconds > SPREADS_S else 1.0)
    if amount < MANY or not 0 < seconds < least:
        return None
    return Floor(f"{amount:,.0f} of what its name counts take", _WHOLE, least), is_whole and amount >= 10 * MANY


def floor_of(name: str) -> Floor | None:
    """What a name says that is done, where it says nothing else besides."""
    words = " ".join(_NOT_A_PART.split(name[:400])).lower()
    # Curves and algorithms end in numbers: 'RSA2048' is RSA.
    words = re.sub(r"\b(rsa|ecdsa|tls|ssl|bcrypt|sign)v?\d+\b", r"\1", words)
    if _SOMETHING_ELSE.search(words):
        return None
    return next((floor for floor in FLOORS if floor.named.match(words)), None)
