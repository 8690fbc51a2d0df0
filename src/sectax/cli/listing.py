"""The cached output of `sectax list`; only generating it needs imports."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from typing import Any

from sectax.parts.cache_entry import CacheEntry

# Seconds; whether a language lacks an extension depends on files unknown to sectax.
_LONGEST_S = 3600.0
# Variables that decide where libraries are found.
_MATTERS = ("HOME", "SECTAX_CACHE", "XDG_CACHE_HOME", "PYTHONPATH", "PHPRC", "PHP_INI_SCAN_DIR", "LD_PRELOAD")


def listing() -> dict[str, Any]:
    """The document of `sectax list`, see `overview.Overview`."""
    entries = offered()
    return {
        "experiments": entries["experiments"],
        "probes": _probes(),
        "studies": entries["studies"],
        "schema": "sectax/list/2",
    }


def as_text(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def offered() -> dict[str, Any]:
    """Experiments and studies, cached until other code is installed."""
    entry = CacheEntry("offered", {})
    text = entry.recall()
    if text is None:
        import msgspec

        from sectax import published
        from sectax.cli.overview import experiments

        text = msgspec.json.encode({"experiments": experiments(), "studies": published.ids()}).decode()
        entry.keep(text, [os.path.join(os.path.dirname(published.__file__), "studies")])
    document: dict[str, Any] = json.loads(text)
    return document


def _probes() -> list[dict[str, Any]]:
    """The probes, and what each lacks here; cached only if all are ready."""
    entry = CacheEntry("probes", {name: value for name, value in os.environ.items() if name in _MATTERS})
    text = entry.recall(_LONGEST_S)
    if text is not None:
        document = json.loads(text)
        if document["programs"] == _places(document["programs"]):
            lines: list[dict[str, Any]] = document["probes"]
            return lines

    import msgspec

    from sectax.cli.overview import probe_lines
    from sectax.parts import probes

    made = probe_lines()
    if not any(line.lack for line in made):
        available = [probes.load(line.name) for line in made]
        programs = _places(
            need.program for probe in available for need in probe.manifest.requires if probe.starts(need.program)
        )
        answer = {"probes": made, "programs": programs}
        watched = [path for probe in available for path in probe.watched_files()] + [
            path for path in programs.values() if path
        ]
        entry.keep(msgspec.json.encode(answer).decode(), watched)
    plain: list[dict[str, Any]] = msgspec.to_builtins(made)
    return plain


def _places(programs: Iterable[str]) -> dict[str, str | None]:
    """The resolved path of each program on PATH."""
    return {name: os.path.realpath(path) if (path := shutil.which(name)) else None for name in programs}
