"""What an attestation report is asked for with: the hash of the run's plan, which a reader can work out again."""

from __future__ import annotations

import hashlib
import json

from sectax.model.plan import Plan


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
