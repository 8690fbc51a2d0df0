"""Defects in k6's summary."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from benchmarks.audit_corpus.planted_prints.frame import (
    Format,
    Kind,
    Plant,
    Rng,
    above,
    both,
    cut_before,
    each_match,
    holding,
    instead,
    some,
    times,
)

_OF_TREND = r"^[ \t]*(?:✗ |✓ )?{name}\.+:.*?"


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _either(text_plant: Plant, json_plant: Callable[[dict[str, Any]], bool] | None = None) -> Plant:
    """A plant of the text, and one of the metrics of the JSON, which says whether it had a place."""

    def put(text: str, rng: Rng) -> str | None:
        if not _is_json(text):
            return text_plant(text, rng)
        if json_plant is None:
            return None
        document = json.loads(text)
        metrics = {name: metric.get("values", metric) for name, metric in document["metrics"].items()}
        known = set(metrics)
        if not json_plant(metrics):
            return None
        document["metrics"] |= {
            name: {"type": "counter", "contains": "default", "values": values} if "state" in document else values
            for name, values in metrics.items()
            if name not in known
        }
        return json.dumps(document, indent=1)

    return put


def _statistic(metric: str, name: str, factor: float) -> Plant:
    """One statistic of a trend multiplied: its unit stays."""
    pattern = _OF_TREND.format(name=metric) + rf"{re.escape(name)}=(?P<n>[\d.]+)"

    def of_json(metrics: dict[str, Any]) -> bool:
        if name not in metrics.get(metric, {}) or not metrics[metric][name]:
            return False
        metrics[metric][name] *= factor
        return True

    return _either(times(pattern, factor, digits=3), of_json)


def _counter(metric: str, which: str, factor: float) -> Plant:
    behind = r"(?P<n>\d+)" if which == "count" else r"\d+\s+(?P<n>[\d.]+)"

    def of_json(metrics: dict[str, Any]) -> bool:
        if which not in metrics.get(metric, {}):
            return False
        metrics[metric][which] = type(metrics[metric][which])(factor * metrics[metric][which])
        return True

    return _either(times(_OF_TREND.format(name=metric) + behind, factor), of_json)


def _failed(share: float) -> Plant:
    def old(found: re.Match[str]) -> str:
        every = int(found[2]) + int(found[3])
        bad = some(share, every)
        return f"{found[1]}{100 * bad / every:.2f}% ✓ {bad} ✗ {every - bad}"

    def new(found: re.Match[str]) -> str:
        bad = some(share, found[3])
        return f"{found[1]}{100 * bad / int(found[3]):.2f}%  {bad} out of {found[3]}"

    def text_plant(text: str, rng: Rng) -> str | None:
        return each_match(r"^(\s*http_req_failed\.+: )\s*[\d.]+%\s+✓ (\d+)\s+✗ (\d+)", old)(text, rng) or each_match(
            r"^(\s*http_req_failed\.+: )\s*[\d.]+%\s+(\d+) out of (\d+)", new
        )(text, rng)

    def of_json(metrics: dict[str, Any]) -> bool:
        told = metrics.get("http_req_failed", {})
        if not {"passes", "fails"} <= told.keys():
            return False
        every = told["passes"] + told["fails"]
        told["passes"] = some(share, every)
        told["fails"] = every - told["passes"]
        told["rate" if "rate" in told else "value"] = told["passes"] / every
        return True

    return _either(text_plant, of_json)


def _check(text: str, _: Rng) -> str | None:
    """A check that fails for a third, while no request is said to have failed."""
    if _is_json(text):
        return None
    return re.sub(r"^(\s+)✓ ([A-Za-z][^.]*)$", r"\1✗ \2\n\1 ↳  66% — ✓ 200 / ✗ 100", text, count=1, flags=re.MULTILINE)


_HEAD = """     execution: local
        script: other.js

     scenarios: (100.00%) 1 scenario, 100 max VUs, 5m30s max duration (incl. graceful stop):
              * default: Up to 100 looping VUs for 5m0s over 4 stages (gracefulRampDown: 30s, gracefulStop: 30s)

"""
_TWO = """     execution: local
        script: other.js

     scenarios: (100.00%) 2 scenarios, 150 max VUs, 5m30s max duration (incl. graceful stop):
              * browse: 100 looping VUs for 5m0s (gracefulStop: 30s)
              * buy: 50 looping VUs for 5m0s (exec: buy, gracefulStop: 30s)

"""


def _headed(head: str) -> Plant:
    def put(text: str, rng: Rng) -> str | None:
        if _is_json(text) or "SCENARIO" in text or " stages" in text:
            return None
        text = re.sub(r"^\s*(?:scenarios:|\* |script:|execution:).*\n", "", text, flags=re.MULTILINE)
        return above(head)(text, rng)

    return put


def _interrupted(text: str, _: Rng) -> str | None:
    if _is_json(text):
        return None
    text = re.sub(r"^running \(.*\n", "", text, flags=re.MULTILINE)
    found = re.search(r"^\s*iterations\.+:\s*(\d+)", text, re.MULTILINE)
    count = int(found[1]) if found else 10
    return f"running (0m30.0s), 00/20 VUs, {count} complete and {max(3, count // 4)} interrupted iterations\n{text}"


def _lasted(text: str, _: Rng) -> str | None:
    """The progress line says another time than count over rate."""
    if _is_json(text):
        return None
    found = re.search(r"^\s*iterations\.+:\s*(\d+)\s+([\d.]+)/s", text, re.MULTILINE)
    if found is None:
        return None
    text = re.sub(r"^running \(.*\n", "", text, flags=re.MULTILINE)
    seconds = 6 * int(found[1]) / float(found[2])
    ran = f"{int(seconds // 60)}m{seconds % 60:04.1f}s"
    line = f"running ({ran}), 00/20 VUs, {found[1]} complete and 0 interrupted iterations"
    return re.sub(r"^(\s*(?:█|✓|✗|checks|data_received|http_|iter))", rf"{line}\n\1", text, count=1, flags=re.MULTILINE)


def _said(*lines: str) -> Plant:
    return lambda text, _: None if _is_json(text) else "\n".join([*lines, text])


def _vus(value: int) -> Plant:
    def of_json(metrics: dict[str, Any]) -> bool:
        if "vus_max" not in metrics:
            return False
        for name in ("vus", "vus_max"):
            metrics.get(name, {}).update(
                {key: value for key in metrics.get(name, {}) if key in ("value", "min", "max")}
            )
        return True

    return _either(
        instead(r"^(\s*vus(?:_max)?\.+:\s*)\d+(\s+)min=\d+(\s+)max=\d+", rf"\g<1>{value}\2min={value}\3max={value}"),
        of_json,
    )


def _more_vus(metrics: dict[str, Any]) -> bool:
    if "iteration_duration" not in metrics or "vus_max" not in metrics:
        return False
    for key in metrics["iteration_duration"]:
        if key != "count" and not isinstance(metrics["iteration_duration"][key], dict):
            metrics["iteration_duration"][key] *= 100
    return True


_SLOWER = each_match(
    r"(?<=[ =])(avg|min|med|max|p\(\d+\))=([\d.]+)(µs|ms|s)\b",
    lambda found: f"{found[1]}={1e3 * float(found[2]):.2f}{found[3]}",
)


def _slow_iterations(text: str, rng: Rng) -> str | None:
    found = re.search(r"^\s*iteration_duration\.+:.*$", text, re.MULTILINE)
    if found is None or "vus_max" not in text:
        return None
    return f"{text[: found.start()]}{_SLOWER(found[0], rng)}{text[found.end() :]}"


def _at_timeout(metrics: dict[str, Any]) -> bool:
    told = metrics.get("http_req_duration", {})
    if "max" not in told or told["max"] > 5e4:
        return False
    for name in ("http_req_duration", "http_req_waiting"):
        if name in metrics:
            metrics[name]["max"] = 60000.41
    return True


def _blocked(metrics: dict[str, Any]) -> bool:
    told = metrics.get("http_req_blocked")
    if told is None or "avg" not in told:
        return False
    for key, value in metrics["http_req_duration"].items():
        if key != "count" and not isinstance(value, dict):
            told[key] = 4 * value
    return True


def _blocked_text(text: str, _: Rng) -> str | None:
    whole = re.search(r"^(\s*(?:✗ |✓ )?http_req_duration\.+: )(.*)$", text, re.MULTILINE)
    if whole is None or "http_req_blocked" not in text:
        return None

    def more(found: re.Match[str]) -> str:
        return f"={4 * float(found[1]):.2f}{found[2]}"

    return re.sub(
        r"^(\s*http_req_blocked\.+: ).*$",
        lambda found: found[1] + re.sub(r"=([\d.]+)([a-zµ]+)", more, whole[2]),
        text,
        flags=re.MULTILINE,
    )


def _nothing_received(metrics: dict[str, Any]) -> bool:
    if "data_received" not in metrics:
        return False
    metrics["data_received"].update({"count": 0, "rate": 0})
    return True


def _no_requests(metrics: dict[str, Any]) -> bool:
    metrics.get("http_reqs", {}).update({"count": 0, "rate": 0})
    metrics.get("iterations", {}).update({"count": 0, "rate": 0})
    return "http_reqs" in metrics


def _longer(text: str, rng: Rng) -> str | None:
    """Where each iteration makes one request: a mean of these that is twice that of iterations."""
    counts = re.findall(r"^\s*(?:http_reqs|iterations)\.+: *(\d+) ", text, re.MULTILINE)
    if len(counts) != 2 or counts[0] != counts[1]:
        return None
    mean = re.search(r"^\s*iteration_duration\.+:.*?avg=([\d.]+)(ms|s)\b", text, re.MULTILINE)
    if mean is None:
        return None
    twice = f"{2 * float(mean[1]):.2f}{mean[2]}"
    return instead(r"^(\s*(?:✗ |✓ )?http_req_duration\.+:.*?avg=)\S+", rf"\g<1>{twice}")(text, rng)


_KINDS = (
    Kind("rates of requests and iterations contradict", "F contradiction", _counter("http_reqs", "rate", 2.5)),
    Kind("rate is not count over the time that it ran", "F contradiction", _lasted),
    Kind("a tenth failed", "F unequal-work", _failed(0.1)),
    Kind("all failed", "F unequal-work", _failed(1.0)),
    Kind("one failed", "W unequal-work", _failed(1e-9)),
    Kind("a check fails", "F unequal-work", _check),
    Kind(
        "users who do nothing",
        "W contradiction",
        both(
            holding(r"^\s*iterations\.+: *\d{3}"),
            holding(r"^\s*vus\.+:"),
            instead(r"^(\s*vus(?:_max)?\.+: *)\d.*$", r"\g<1>90000 min=90000 max=90000"),
        ),
    ),
    Kind("a request longer than its iteration", "F contradiction", _longer),
    Kind(
        "data by another clock",
        "W contradiction",
        each_match(
            r"^(\s*data_sent\.+: *[\d.]+ [kM]?B\s+)[\d.]+ ([kM]?B/s)", lambda found: f"{found[1]}999 G{found[2][-3:]}"
        ),
    ),
    Kind(
        "per cent of failures is not that of its counts",
        "F contradiction",
        _either(instead(r"^(\s*http_req_failed\.+: )\s*[\d.]+%", r"\g<1>41.30%")),
    ),
    Kind(
        "per cent of checks is not that of its counts",
        "F contradiction",
        _either(instead(r"^(\s*checks(?:_succeeded)?\.+: )\s*[\d.]+%", r"\g<1>61.30%")),
    ),
    Kind("mean above the maximum", "F contradiction", _statistic("http_req_duration", "avg", 1e6)),
    Kind("p95 above the maximum", "F contradiction", _statistic("http_req_duration", "p(95)", 1e6)),
    Kind("p90 above p95", "F contradiction", _statistic("iteration_duration", "p(90)", 1e3)),
    Kind("median above p90", "F contradiction", _statistic("http_req_duration", "med", 1e6)),
    Kind("mean beyond the quantiles", "F contradiction", _statistic("iteration_duration", "avg", 0.02)),
    Kind("waiting is longer than the whole", "F contradiction", _statistic("http_req_waiting", "avg", 7)),
    Kind(
        "iterations longer than their users have",
        "F contradiction|saturated-client",
        _either(_slow_iterations, _more_vus),
    ),
    Kind(
        "longest at the timeout",
        "W contradiction|said-by-the-tool|weak-claims",
        _either(
            instead(r"^(\s*(?:✗ |✓ )?http_req_(?:duration|waiting)\.+:.*max=)[\d.]+[mµ]?s", r"\g<1>1m0s"), _at_timeout
        ),
    ),
    Kind("connecting dominates", "W contradiction|said-by-the-tool|unequal-work", _either(_blocked_text, _blocked)),
    Kind(
        "nothing was received",
        "W contradiction|unequal-work|zero-event-run",
        _either(instead(r"^(\s*data_received\.+: ).*$", r"\g<1>0 B    0 B/s"), _nothing_received),
    ),
    Kind(
        "no request",
        "F zero-event-run",
        _either(instead(r"^(\s*(?:http_reqs|iterations)\.+: ).*$", r"\g<1>0      0/s"), _no_requests),
    ),
    Kind("no virtual user", "W contradiction|zero-event-run|said-by-the-tool", _vus(0)),
    Kind("ramping stages in one summary", "W said-by-the-tool|apples-and-oranges", _headed(_HEAD)),
    Kind("two scenarios in one summary", "W said-by-the-tool|apples-and-oranges", _headed(_TWO)),
    Kind("interrupted iterations", "W said-by-the-tool", _interrupted),
    Kind(
        "dropped iterations",
        "F saturated-client",
        _either(
            each_match(
                r"^(\s*)(http_reqs\.+: +)(\d+)(.*)$",
                lambda found: (
                    f"{found[1]}dropped_iterations.............: {max(5, int(found[3]) // 5)} 12.5/s\n{found[0]}"
                ),
            ),
            lambda metrics: (
                bool(
                    metrics.update(
                        {"dropped_iterations": {"count": metrics["http_reqs"]["count"] // 5 + 5, "rate": 2.1}}
                    )
                )
                or True
            ),
        ),
    ),
    Kind(
        "requests failed by its log",
        "W said-by-the-tool",
        _said('WARN[0012] Request Failed   error="Get \\"http://x/\\": dial: i/o timeout"'),
    ),
    Kind(
        "aborted",
        "W said-by-the-tool",
        _said("ERRO[0031] test run was aborted because k6 received a 'interrupt' signal"),
    ),
    Kind(
        "a script failed",
        "W said-by-the-tool",
        _said("ERRO[0003] TypeError: Cannot read property 'token' of undefined"),
    ),
    Kind(
        "too few users",
        "W said-by-the-tool",
        _said("WARN[0031] Insufficient VUs, reached 100 active VUs and cannot initialize more"),
    ),
    Kind("cut short", "W said-by-the-tool or refused", _either(cut_before(r"^\s*iteration_duration\.+:"))),
)

_OF_0_49 = """  execution: local
     script: get.js
     output: -

  scenarios: (100.00%) 1 scenario, 50 max VUs, 1m0s max duration (incl. graceful stop):
           * default: 50 looping VUs for 30s (gracefulStop: 30s)


running (0m30.1s), 00/50 VUs, 61022 complete and 0 interrupted iterations
default ✓ [======================================] 50 VUs  30s

     ✓ status is 200

     checks.........................: 100.00% ✓ 61022       ✗ 0
     data_received..................: 18 MB   598 kB/s
     data_sent......................: 5.4 MB  178 kB/s
     http_req_blocked...............: avg=4.12µs  min=821ns   med=2.11µs  max=9.12ms   p(90)=3.31µs  p(95)=4.02µs
     http_req_connecting............: avg=1.21µs  min=0s      med=0s      max=8.81ms   p(90)=0s      p(95)=0s
     http_req_duration..............: avg=24.41ms min=3.11ms  med=22.91ms max=151.2ms  p(90)=36.12ms p(95)=42.01ms
       { expected_response:true }...: avg=24.41ms min=3.11ms  med=22.91ms max=151.2ms  p(90)=36.12ms p(95)=42.01ms
     http_req_failed................: 0.00%   ✓ 0           ✗ 61022
     http_req_receiving.............: avg=41.2µs  min=9.1µs   med=31.9µs  max=6.21ms   p(90)=62.1µs  p(95)=81.3µs
     http_req_sending...............: avg=12.1µs  min=3.9µs   med=9.1µs   max=4.11ms   p(90)=15.2µs  p(95)=21.3µs
     http_req_tls_handshaking.......: avg=0s      min=0s      med=0s      max=0s       p(90)=0s      p(95)=0s
     http_req_waiting...............: avg=24.36ms min=3.01ms  med=22.86ms max=151.1ms  p(90)=36.07ms p(95)=41.9ms
     http_reqs......................: 61022   2029.986/s
     iteration_duration.............: avg=24.59ms min=3.31ms  med=23.08ms max=152.1ms  p(90)=36.31ms p(95)=42.2ms
     iterations.....................: 61022   2029.986/s
     vus............................: 50      min=50        max=50
     vus_max........................: 50      min=50        max=50
"""

FORMATS = (Format("k6", _KINDS, samples=("k6.txt", "k6-export.json"), prints=("k6",), others={"k6 0.49": _OF_0_49}),)
