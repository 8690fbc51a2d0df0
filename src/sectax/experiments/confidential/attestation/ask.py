"""Asks a guest for an attestation report, through the one interface that Linux has for all technologies (configfs-tsm,
since 6.7; root there). What comes back is kept as it is: whoever reads the record checks it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import time

from sectax.hosts.facts import Starts
from sectax.model.plan import Plan
from sectax.text.printable import printable


def nonce_of(plan: Plan) -> bytes:
    """64 bytes: SHA-512 of what a run measures, where and in which order, as JSON with sorted names.

    Only what every version of sectax records of a plan is in it.
    """
    statement = {
        "experiment": plan.experiment,
        "preset": plan.preset,
        "seed": plan.seed,
        "control": plan.control,
        "factors": [[factor.name, list(factor.levels)] for factor in plan.factors],
        "hosts": list(plan.hosts),
        "options": {name: list(values) for name, values in plan.options.items()},
        "treatments": [treatment.id for treatment in plan.treatments],
        "comparisons": [comparison.id for comparison in plan.comparisons],
    }
    return hashlib.sha512(json.dumps(statement, sort_keys=True, ensure_ascii=True).encode()).digest()


REPORT, CERTIFICATES, PROVIDER, MISSING = (
    f"host.attestation.{name}" for name in ("report", "certificates", "provider", "missing")
)
TSM = "/sys/kernel/config/tsm/report"

_DEADLINE_S = 30.0
_LINE_LIMIT = 256 * 1024
_MOST_LINES = 10
# $0 is the folder of the interface, $1 a name of our own below it, $2 the nonce in Base64. Every line is a name, a tab
# and a value.
_SCRIPT = r"""
say() { printf '%s\t%s\n' "$1" "$2"; }
if [ ! -d "$0" ]; then say missing "there is no $0: its kernel offers no reports, or is older than 6.7"
elif ! why=$(mkdir "$0/$1" 2>&1); then say missing "$why"
else
  if ! why=$(printf '%s' "$2" | base64 -d 2>&1 >"$0/$1/inblob"); then say missing "$why"
  elif ! report=$(base64 <"$0/$1/outblob" 2>/dev/null | tr -d '\n') || [ -z "$report" ]; then
    say missing 'its firmware gave no report'
  else
    say provider "$(cat "$0/$1/provider" 2>/dev/null)"
    say report "$report"
    say certificates "$(base64 <"$0/$1/auxblob" 2>/dev/null | tr -d '\n')"
  fi
  rmdir "$0/$1" 2>/dev/null
fi
printf 'end\t\n'
"""


def ask(host: Starts, nonce: bytes, interface: str = TSM) -> dict[str, str]:
    """The report of a guest, with this nonce of 64 bytes; or, as `MISSING`, why there is none.

    Raises:
        ChildError: it cannot be reached, or does not answer within 30 s.
    """
    name = f"sectax-{secrets.token_hex(8)}"
    deadline = time.monotonic() + _DEADLINE_S
    answer: dict[str, str] = {}
    words = ("/bin/sh", "-c", _SCRIPT, interface, name, base64.b64encode(nonce).decode())
    with host.start(words, line_limit=_LINE_LIMIT) as child:
        for _ in range(_MOST_LINES):
            key, _, value = child.receive_line(deadline).decode(errors="replace").rstrip("\n").partition("\t")
            if key == "end":
                break
            answer[key] = value
    if not answer.get("report") or "missing" in answer:
        return {MISSING: printable(answer.get("missing") or "without a reason", 200)}
    if not all(re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", answer.get(name, "")) for name in ("report", "certificates")):
        return {MISSING: "what it gave is not Base64"}
    return {
        PROVIDER: printable(answer.get("provider", ""), 40),
        REPORT: answer["report"],
        CERTIFICATES: answer.get("certificates", ""),
    }
