"""`hyperfine --export-json`: src/export/json.rs of sharkdp/hyperfine."""

from __future__ import annotations

from sectax.audit.reading.grammar import Json, Promise
from sectax.audit.reading.printed import Number

HYPERFINE = Json(
    name="hyperfine",
    title="hyperfine's JSON",
    keys=("results", "command"),
    each="results[]",
    fields={
        "command": "name:text",
        "times[]": "time.values:s",
        "mean": "time.mean:s",
        "stddev": "time.stddev:s",
        "median": "time.median:s",
        "min": "time.min:s",
        "max": "time.max:s",
        "user": "user:s",
        "system": "system:s",
        "exit_codes[]": "failures:nonzero",
    },
    # Each run is a process of its own.
    fixed={"batch": Number(1.0), "replicate": "process"},
    promises=(Promise("user + system <= 384 * time.mean", within=0.0),),
    compares="command",
)
GRAMMARS = (HYPERFINE,)
