"""JMH's `-rf json`: JSONResultFormat of openjdk/jmh."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Json, Record
from sectax.audit.reading.printed import Number, statistic_of
from sectax.audit.tools.jmh_results import PROMISES, QUANTITIES, SLOW, fill, name, set_up
from sectax.formats import json_text

_OPTIONS = {"threads": "threads", "forks": "forks", "measurementTime": "iteration", "warmupTime": "warm_up_iteration"}


def _records(document: Any) -> list[Record]:
    return [_record(result) for result in (document if isinstance(document, list) else [document])]


def _record(result: Mapping[str, Any]) -> Record:
    record, metric, mode = Record(1, ended=True), result["primaryMetric"], result["mode"]
    name(record, result["benchmark"], result.get("params") or {}, mode)
    if not isinstance(metric["score"], int | float):
        record.troubles.append(Trouble(TroubleKind.FAILED, 1, f"the score is {metric['score']}"))
        return record
    warmups, forks = (str(result[key]) if key in result else None for key in ("warmupIterations", "forks"))
    set_up(record, mode, warmups, forks)
    # A development environment adds an agent with a port of its own to each run.
    arguments = [one for one in result.get("jvmArgs") or () if not one.startswith("-javaagent:")]
    options = {option: result[key] for key, option in _OPTIONS.items() if key in result} if mode != "ss" else {}
    options |= {"jvm_options": " ".join(arguments) or "none"} if "jvmArgs" in result else {}
    record.fields |= {f"option.{option}": [str(value)] for option, value in options.items()}
    if runtime := json_text.text(result, "vmName", "jdkVersion", "vmVersion"):
        record.fields["runtime"] = [runtime]
    if slow := re.search(SLOW, " ".join(result.get("jvmArgs") or ())):
        record.troubles.append(Trouble(TroubleKind.WARNED, 1, f"jvmArgs: {slow[0]}"))
    _measured(record, result, metric)
    return record


def _measured(record: Record, result: Mapping[str, Any], metric: Mapping[str, Any]) -> None:
    forks = metric.get("rawData") or []
    shares = metric.get("scorePercentiles") or {}
    claims = [(key, metric["score"]) for key in ("score", ".mean")]
    claims.append((".error", metric.get("scoreError")))
    # Of few iterations other percentiles are one of them.
    claims += [
        (f".{statistic}", value)
        for share, value in shares.items()
        if (statistic := statistic_of(share)) in ("min", "median", "max") or not forks
    ]
    for key, place in (("measurementIterations", "planned"), ("forks", "forks")) if forks else ():
        if isinstance(count := result.get(key), int) and count:
            record.fields[place] = [Number(float(count))]
    plain = [(key, value) for key, value in claims if isinstance(value, int | float)]
    fill(record, metric["scoreUnit"], forks, plain)


JMH_JSON = Json(
    name="jmh",
    title="JMH's JSON",
    keys=("benchmark", "primaryMetric"),
    records=_records,
    fixed={"calibrated": True},
    quantities=QUANTITIES,
    promises=PROMISES,
)
GRAMMARS = (JMH_JSON,)
