"""Defects in JMH's JSON and text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scipy.special import stdtrit

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng, each_match
from benchmarks.audit_corpus.planted_prints.series import LIES, Series, Values, in_json, of_values, quiet, summaries

Result = dict[str, Any]


def _raw(result: Result) -> list[Values]:
    return result["primaryMetric"].get("rawData") or []


def _read(text: str) -> list[Values]:
    if not text.lstrip().startswith("["):
        return []
    return [
        [value for fork in _raw(result) for value in fork] if result["mode"] != "sample" else []
        for result in json.loads(text)
    ]


def _slower(text: str) -> int:
    return -1 if json.loads(text)[0]["mode"] == "thrpt" else 1


def _write(text: str, at: int, values: Values) -> str:
    document = json.loads(text)
    _set(document[at], values)
    return json.dumps(document, indent=1)


def _set(result: Result, values: Values) -> None:
    rest, forks = list(values), []
    for fork in _raw(result):
        forks.append(rest[: len(fork)])
        rest = rest[len(fork) :]
    told, metric = summaries(values), result["primaryMetric"]
    metric |= {"rawData": forks, "score": told["mean"], "scoreError": "NaN", "scoreConfidence": ["NaN", "NaN"]}
    metric["scorePercentiles"] = {"0.0": told["min"], "50.0": told["median"], "100.0": told["max"]}


def _last(change: Callable[[Result], object]) -> Plant:
    def all_(document: Any, _: Rng) -> object:
        return isinstance(document, list) and len(document) > 1 and change(document[-1])

    return in_json(all_)


def _every(change: Callable[[Result], object]) -> Plant:
    return in_json(lambda document, _: [change(result) for result in document])


def _metric(name: str, change: Callable[[Result], object]) -> Plant:
    def put(result: Result) -> object:
        metric = result["primaryMetric"]
        values = [value for fork in _raw(result) for value in fork]
        if len(values) < 3 or result["mode"] == "sample" or not all(isinstance(value, float) for value in values):
            return False
        metric[name] = change(metric)
        return True

    return _last(put)


def _slow_fork(result: Result) -> object:
    forks = _raw(result)
    if len(forks) < 2 or any(len(fork) < 3 for fork in forks):
        return False
    _set(result, [value * (1.5 if at == 1 else 1.0) for at, fork in enumerate(forks) for value in fork])
    return True


def _fewer(result: Result) -> object:
    forks = _raw(result)
    if not forks or len(forks[0]) < 4 or result["mode"] == "sample":
        return False
    forks[0].remove(max(forks[0]))
    metric = result["primaryMetric"]
    told = summaries([value for fork in forks for value in fork])
    metric |= {
        "score": told["mean"],
        "scorePercentiles": {"0.0": told["min"], "50.0": told["median"], "100.0": told["max"]},
    }
    return True


def _fact(name: str, value: object) -> Plant:
    def change(result: Result) -> object:
        if name not in result:
            return False
        result[name] = value
        return True

    return _last(change)


def _made() -> str:
    """Two benchmarks of three forks and ten iterations each."""
    document = []
    for number, name in enumerate(("plain", "signed"), 1):
        values = quiet(10.0 * number, 30, number)
        told = summaries(values)
        error = float(stdtrit(29, 0.9995)) * told["stddev"] / 30**0.5
        setup = {"benchmark": f"a.B.{name}", "mode": "avgt", "threads": 1, "forks": 3, "jvmArgs": []}
        setup |= {"jdkVersion": "21.0.2", "vmName": "OpenJDK 64-Bit Server VM", "vmVersion": "21.0.2+13", "params": {}}
        setup |= {"warmupIterations": 5, "warmupTime": "1 s", "measurementIterations": 10, "measurementTime": "1 s"}
        metric = {"score": told["mean"], "scoreError": error, "scoreUnit": "us/op"}
        metric["scoreConfidence"] = [told["mean"] - error, told["mean"] + error]
        metric["scorePercentiles"] = {"0.0": told["min"], "50.0": told["median"], "100.0": told["max"]}
        metric["rawData"] = [values[:10], values[10:20], values[20:]]
        document.append({"jmhVersion": "1.37", **setup, "primaryMetric": metric})
    return json.dumps(document, indent=1)


_TABLE = r"^(\S+\s+(?:thrpt|avgt)\s+\d+\s+)([\d.,]+)( ± )([\d.,]+)(\s+\S+/\S+)$"
_KINDS = (
    *of_values(Series(_read, _write, _slower), zeros=False),
    Kind("score 3 % beside its iterations", "F contradiction", _metric("score", lambda metric: metric["score"] * 1.03)),
    Kind(
        "error a tenth of what its iterations make",
        "F contradiction",
        _metric("scoreError", lambda metric: metric["scoreError"] / 10),
    ),
    Kind(
        "interval not around the score",
        "F contradiction",
        _metric("scoreConfidence", lambda metric: [metric["score"] * 1.2, metric["score"] * 1.4]),
    ),
    Kind(
        "median beside its iterations",
        "F contradiction",
        _metric(
            "scorePercentiles",
            lambda metric: metric["scorePercentiles"] | {"50.0": metric["scorePercentiles"]["100.0"] * 1.1},
        ),
    ),
    Kind("error larger than the score", "W modes", _metric("scoreError", lambda metric: metric["score"] * 1.2)),
    Kind("an iteration taken out", "F contradiction", _last(_fewer)),
    Kind("a fork slower by half", LIES, _last(_slow_fork)),
    Kind("no forks", "W said-by-the-tool", _every(lambda result: result.update(forks=0))),
    Kind("no warm-up", "W first-trial|said-by-the-tool", _every(lambda result: result.update(warmupIterations=0))),
    Kind("the score is NaN", "F said-by-the-tool", _metric("score", lambda _: "NaN")),
    Kind(
        "one by another Java", "W apples-and-oranges|contradiction|said-by-the-tool", _fact("jdkVersion", "1.8.0_181")
    ),
    Kind(
        "one with other options of the JVM",
        "W apples-and-oranges|contradiction|said-by-the-tool",
        _fact("jvmArgs", ["-Xint"]),
    ),
    Kind(
        "one with shorter iterations",
        "W apples-and-oranges|contradiction|said-by-the-tool",
        _fact("measurementTime", "1 ms"),
    ),
    Kind(
        "one without warm-up",
        "W apples-and-oranges|contradiction|said-by-the-tool|first-trial",
        _fact("warmupIterations", 0),
    ),
    Kind(
        "text: error over the score",
        "W modes",
        each_match(_TABLE, lambda found: f"{found[1]}{found[2]}{found[3]}{found[2]}{found[5]}", last=True),
    ),
    Kind(
        "text: <failure>",
        "F said-by-the-tool",
        each_match(r"^Iteration +2: .*$", lambda _: "Iteration   2: <failure>", first=True),
    ),
    Kind(
        "text: score beside its iterations",
        "F contradiction",
        each_match(
            r"^(\S+\s+(?:thrpt|avgt)\s+\d\d+\s+)([1-9]\d*\.\d+)( ± .*)$",
            lambda found: f"{found[1]}{1.04 * float(found[2]):.3f}{found[3]}",
            last=True,
        ),
    ),
    Kind(
        "text: no fork",
        "W said-by-the-tool",
        each_match(r"^# Fork: .*$", lambda _: "# Fork: N/A, test runs in the host VM"),
    ),
    Kind(
        "text: no warm-up",
        "W first-trial|said-by-the-tool",
        each_match(r"^# Warmup: .*$", lambda _: "# Warmup: <none>"),
    ),
    Kind(
        "text: another Java for the second",
        "W apples-and-oranges|contradiction|said-by-the-tool",
        each_match(r"^# VM version: .*$", lambda _: "# VM version: JDK 1.6.0, VM 20", last=True),
    ),
)

FORMATS = (Format("jmh", _KINDS, samples=("jmh.json", "jmh.txt"), prints=("jmh",), others={"three forks": _made()}),)
