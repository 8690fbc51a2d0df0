"""Factors, levels, requests and metrics of the experiment, and their labels."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.experiments.client_server.metrics import CLIENT_CPU, LATENCY, SERVER_CPU, TAILS
from sectax.experiments.client_server.metrics import WORDS as METRIC_WORDS
from sectax.model.treatment import Factor

CONTROL = "filter"
OFF, DETECTION, BLOCKING = "off", "detection", "blocking"
CLEAN, ATTACK = "clean", "attack"
OK, FORBIDDEN = 200, 403
PARANOIA = ("1", "2", "3", "4")
NO_BODY = "none"
BODIES = {NO_BODY: 0, "1KB": 1000, "10KB": 10_000}
# Only characters that no rule matches at the highest level: letters, digits, '.', ',' and '='.
_TEXT = "the.quick.brown.fox.jumps.over.the.lazy.dog,"
_FIELD = 500  # characters of each field of a form


@dataclass(frozen=True)
class WafRequest:
    path: str
    method: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


def build_request(request: str, body: str) -> WafRequest:
    """A clean request, or one with an SQL injection in its query; its body is a form."""
    value = "1%27%20OR%20%271%27%3D%271" if request == ATTACK else "1"
    # The rules match requests without these headers.
    headers: tuple[tuple[str, str], ...] = (("Host", "www.example.org"), ("User-Agent", "Mozilla/5.0"))
    if not BODIES[body]:
        return WafRequest(f"/search?name=visitor&page={value}", "GET", headers, b"")
    fields: list[str] = []
    size = 0
    while size < BODIES[body]:
        fields.append(f"field{len(fields)}={(_TEXT * (_FIELD // len(_TEXT) + 1))[:_FIELD]}")
        size += len(fields[-1]) + 1
    form = "&".join(fields)[: BODIES[body]].encode()
    headers += (("Content-Type", "application/x-www-form-urlencoded"),)
    return WafRequest(f"/search?name=visitor&page={value}", "POST", headers, form)


FACTORS = (
    Factor("request", (CLEAN, ATTACK)),
    Factor("body", tuple(BODIES)),
    Factor("paranoia", PARANOIA),
    Factor(CONTROL, (OFF, DETECTION, BLOCKING)),
)
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {"body": (NO_BODY, "1KB")},
    "quick": {"body": (NO_BODY,), "paranoia": ("1",)},
}

METRICS = (LATENCY, *TAILS, SERVER_CPU, CLIENT_CPU)
WORDS = METRIC_WORDS | {
    f"request={CLEAN}": "a clean request",
    f"request={ATTACK}": "an SQL injection",
    f"body={NO_BODY}": "no body",
    f"{CONTROL}={OFF}": "no filter",
    f"{CONTROL}={DETECTION}": "detection only",
    f"{CONTROL}={BLOCKING}": "blocking",
}
