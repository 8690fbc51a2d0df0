"""Defects in what hyperfine exports."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng
from benchmarks.audit_corpus.planted_prints.series import Series, Values, in_json, of_values, quiet, summaries


def _read(text: str) -> list[Values]:
    return [result.get("times") or [] for result in json.loads(text)["results"]]


def _write(text: str, at: int, values: Values) -> str:
    document = json.loads(text)
    document["results"][at] |= {"times": values} | summaries(values)
    return json.dumps(document, indent=1)


def _result(change: Callable[[dict[str, Any], Rng], object], which: int = -1) -> Plant:
    return in_json(lambda document, rng: change(document["results"][which], rng))


def _times(name: str, factor: float) -> Plant:
    def change(result: dict[str, Any], _: Rng) -> object:
        if not result.get("times") or len(result["times"]) < 3 or not result.get(name):
            return False
        result[name] *= factor
        return True

    return _result(change)


def _code(code: int | None) -> Plant:
    def change(result: dict[str, Any], _: Rng) -> object:
        if not result.get("exit_codes"):
            return False
        result["exit_codes"][len(result["exit_codes"]) // 2] = code
        return True

    return _result(change)


def _replace(result: dict[str, Any], _: Rng) -> object:
    times = result.get("times") or []
    if len(times) < 5:
        return False
    times[3] *= 1.06
    return True


def _taken_out(result: dict[str, Any], _: Rng) -> object:
    if len(result.get("times") or []) < 5 or not result.get("exit_codes"):
        return False
    result["times"].remove(max(result["times"]))
    result |= summaries(result["times"])
    return True


def _scaled(factor: float, *, cpu: bool) -> Plant:
    def change(result: dict[str, Any], _: Rng) -> object:
        times = [seconds * factor for seconds in result.get("times") or []]
        if len(times) < 2 or (not cpu and not 0.01 < result.get("user", 0) < 10 * result["mean"]):
            return False
        result |= {"times": times} | summaries(times)
        if cpu:
            result |= {name: result[name] * factor for name in ("user", "system") if name in result}
        return True

    return _result(change)


def _side(plant: Plant) -> Plant:
    """Only where there are other sides that it can be seen beside."""
    return lambda text, rng: plant(text, rng) if len(json.loads(text)["results"]) > 2 else None


def _cpu(user: float) -> Plant:
    def change(result: dict[str, Any], _: Rng) -> object:
        result |= {"user": result["mean"] * user, "system": 0.0}
        return result["mean"] > 0.05

    return _result(change)


def _short(result: dict[str, Any], rng: Rng) -> object:
    if result["mean"] < 0.005 or not result.get("times"):
        return False
    factor = 0.002 / result["mean"]
    times = [seconds * factor for seconds in result["times"]]
    result |= {"times": times} | summaries(times)
    result |= {name: result[name] * factor for name in ("user", "system") if name in result}
    return True


_SERIES = Series(_read, _write)
_KINDS = (
    *of_values(_SERIES),
    *(Kind(f"{name} 3 % beside its values", "F contradiction", _times(name, 1.03)) for name in ("mean", "median")),
    *(Kind(f"{name} beside its values", "F contradiction", _times(name, 0.8)) for name in ("min", "max")),
    Kind("standard deviation a quarter of that of its values", "F contradiction", _times("stddev", 0.25)),
    Kind("one value replaced", "F contradiction", _result(_replace)),
    Kind("the slowest time taken out", "F contradiction", _result(_taken_out)),
    Kind("one exit code is 1", "F unequal-work", _code(1)),
    Kind("one exit code is null", "F unequal-work", _code(None)),
    Kind("one side in ms", "W contradiction", _scaled(1000.0, cpu=False)),
    Kind("one of several sides in ms, with its CPU times", "W contradiction", _side(_scaled(1000.0, cpu=True))),
    Kind("one side in us, as s", "W contradiction|said-by-the-tool", _scaled(1e-3, cpu=False)),
    Kind("CPU time 500 times the wall time", "F contradiction", _cpu(500.0)),
    Kind("CPU time of 1 % of the wall time", "W contradiction|said-by-the-tool", _cpu(0.003)),
    Kind("under 5 ms, within the shell's own time", "W said-by-the-tool|timer", _result(_short, 0)),
)


def _made() -> str:
    """Four commands of about 20 ms, thirty runs each."""
    results = []
    for number in range(4):
        times = quiet(0.02 + 0.002 * number, 30, number)
        told = {"user": 0.9 * sum(times) / 30, "system": 0.05 * sum(times) / 30}
        codes = {"times": times, "exit_codes": [0] * 30}
        results.append({"command": f"sum {number}", **summaries(times), **told, **codes})
    return json.dumps({"results": results})


FORMATS = (
    Format(
        "hyperfine",
        _KINDS,
        samples=("hyperfine.json", "hyperfine-parameters.json"),
        prints=("hyperfine",),
        others={"four commands": _made()},
    ),
)
