"""Defects in pytest-benchmark's JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng
from benchmarks.audit_corpus.planted_prints.series import Series, Values, in_json, of_values, quiet, summaries

Stats = dict[str, Any]


def _read(text: str) -> list[Values]:
    return [benchmark["stats"].get("data") or [] for benchmark in json.loads(text)["benchmarks"]]


def _write(text: str, at: int, values: Values) -> str:
    document = json.loads(text)
    low, high = (float(quartile) for quartile in np.quantile(values, (0.25, 0.75)))
    told = summaries(values)
    document["benchmarks"][at]["stats"] |= told | {
        "data": values,
        "q1": low,
        "q3": high,
        "iqr": high - low,
        "total": sum(values),
        "rounds": len(values),
        "ops": 1 / told["mean"],
    }
    for name in ("outliers", "stddev_outliers", "iqr_outliers", "ld15iqr", "hd15iqr"):
        document["benchmarks"][at]["stats"].pop(name, None)
    return json.dumps(document, indent=1)


def _stats(change: Callable[[Stats], object], *, bare: bool = False) -> Plant:
    """The last benchmark's; *bare*: without its single values."""

    def put(document: Any, _: Rng) -> object:
        stats = document["benchmarks"][-1]["stats"]
        if bare:
            stats.pop("data", None)
        return stats["rounds"] >= 5 and change(stats)

    return in_json(put)


def _times(name: str, factor: float, *, bare: bool = False, with_values: bool = False) -> Plant:
    def change(stats: Stats) -> object:
        if name not in stats or (with_values and not stats.get("data")):
            return False
        stats[name] *= factor
        return True

    return _stats(change, bare=bare)


def _other(name: str, usual: object, other: object) -> Plant:
    """The last benchmark has another option than all before."""

    def change(document: Any, _: Rng) -> object:
        if len(document["benchmarks"]) < 2:
            return False
        for at, benchmark in enumerate(document["benchmarks"], 1):
            benchmark["options"] = (benchmark.get("options") or {}) | {
                name: other if at == len(document["benchmarks"]) else usual
            }
        return True

    return in_json(change)


def _outlier(stats: Stats) -> object:
    """A round of a thousand times the median among them, without its single values."""
    rounds, median = stats["rounds"], stats["median"]
    if stats["max"] > 10 * median:
        return False
    most = 1000 * median
    mean = stats["mean"] + (most - stats["max"]) / rounds
    stats |= {"max": most, "mean": mean, "total": mean * rounds, "ops": 1 / mean, "stddev": most / rounds**0.5}
    return 5 < rounds < 5000 and most > 10 * stats["q3"] and rounds < 10_000


def _all_alike(stats: Stats) -> object:
    stats |= {"stddev": 0.0, "iqr": 0.0}
    return stats["max"] > stats["min"] * 1.05 and "data" not in stats


def _made() -> str:
    """Two tests of sixty rounds, with their values."""
    benchmarks = [
        {"name": f"test_{name}", "fullname": f"t.py::test_{name}", "params": None, "stats": {"iterations": 1}}
        for name in ("plain", "signed")
    ]
    text = json.dumps({"machine_info": {}, "commit_info": {}, "benchmarks": benchmarks})
    for at in range(2):
        text = _write(text, at, quiet(1e-3 * (at + 1), 60, at))
    return text


_KINDS = (
    *of_values(Series(_read, _write)),
    Kind("mean 3 % beside its values", "F contradiction", _times("mean", 1.03)),
    Kind("median beside its values", "F contradiction", _times("median", 1.03, with_values=True)),
    Kind("standard deviation a quarter of that of its values", "F contradiction", _times("stddev", 0.25)),
    Kind(
        "standard deviation wider than the range",
        "F contradiction",
        _stats(
            lambda stats: (
                (stats.update(stddev=1.2 * (stats["max"] - stats["min"])) or True) if "stddev" in stats else False
            ),
            bare=True,
        ),
    ),
    Kind("iqr is not that of the quartiles", "F contradiction", _times("iqr", 2.0, bare=True)),
    Kind("ops is not 1 over the mean", "F contradiction", _times("ops", 1.2, bare=True)),
    Kind("total is not rounds of the mean", "F contradiction", _times("total", 1.2, bare=True)),
    Kind(
        "mean above the maximum",
        "F contradiction",
        _stats(
            lambda stats: (
                stats.update(
                    mean=stats["max"] * 1.3, ops=1 / (stats["max"] * 1.3), total=stats["rounds"] * stats["max"] * 1.3
                )
                or True
            ),
            bare=True,
        ),
    ),
    Kind(
        "quartiles fall", "F contradiction", _stats(lambda stats: stats.update(q1=stats["q3"] * 1.2) or True, bare=True)
    ),
    Kind("no deviation, and a range", "F contradiction", _stats(_all_alike, bare=True)),
    Kind(
        "one round",
        "W unsupported-quantile",
        in_json(
            lambda document, _: [
                benchmark["stats"].update(
                    rounds=1,
                    stddev=0,
                    min=benchmark["stats"]["mean"],
                    max=benchmark["stats"]["mean"],
                    median=benchmark["stats"]["mean"],
                    q1=benchmark["stats"]["mean"],
                    q3=benchmark["stats"]["mean"],
                    iqr=0,
                    total=benchmark["stats"]["mean"],
                    **({"data": [benchmark["stats"]["mean"]]} if "data" in benchmark["stats"] else {}),
                )
                for benchmark in document["benchmarks"][-1:]
            ]
        ),
    ),
    Kind(
        "a round of 1000 times the median, without the values",
        "W modes|unsupported-quantile|said-by-the-tool|contradiction",
        _stats(_outlier, bare=True),
    ),
    Kind(
        "rounds shorter than the timer's step",
        "W timer",
        in_json(
            lambda document, _: [
                benchmark["stats"].update(
                    {
                        name: benchmark["stats"][name] * 4e-8 / benchmark["stats"]["mean"]
                        for name in ("min", "max", "median", "q1", "q3", "iqr", "stddev")
                        if name in benchmark["stats"]
                    }
                    | {"mean": 4e-8, "ops": 2.5e7, "total": 4e-8 * benchmark["stats"]["rounds"], "iterations": 1}
                )
                or benchmark["stats"].pop("data", None)
                for benchmark in document["benchmarks"][-1:]
            ]
        ),
    ),
    Kind(
        "a third are outliers by its own count",
        "W modes|said-by-the-tool",
        _stats(
            lambda stats: (
                stats.update(
                    outliers=f"{stats['rounds'] // 3};{stats['rounds'] // 3}",
                    iqr_outliers=stats["rounds"] // 3,
                    stddev_outliers=stats["rounds"] // 3,
                )
                or stats["rounds"] >= 15
            ),
            bare=True,
        ),
    ),
    Kind(
        "more outliers than rounds",
        "F contradiction",
        _stats(
            lambda stats: (
                stats.update(
                    outliers=f"{stats['rounds'] * 2};{stats['rounds'] * 2}",
                    iqr_outliers=stats["rounds"] * 2,
                    stddev_outliers=stats["rounds"] * 2,
                )
                or True
            )
        ),
    ),
    Kind(
        "the garbage collector was off on one side",
        "W apples-and-oranges|contradiction|said-by-the-tool",
        _other("disable_gc", False, True),
    ),
    Kind(
        "one side by another timer",
        "W apples-and-oranges|contradiction|said-by-the-tool",
        _other("timer", "perf_counter", "time"),
    ),
)

FORMATS = (
    Format(
        "pytest-benchmark",
        _KINDS,
        samples=("pytest-benchmark.json", "pytest-benchmark-data.json"),
        prints=("pytest-benchmark",),
        others={"sixty rounds": _made()},
    ),
)
