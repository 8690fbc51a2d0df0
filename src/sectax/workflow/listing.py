"""What `sectax list` says, kept until something of it can have changed; only making it takes imports."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sectax.toolchain.kept import Kept

if TYPE_CHECKING:
    from sectax.workflow.overview import Overview

# Whether a language lacks an extension is in files that sectax does not know of.
_LONGEST_S = 3600.0


def listing() -> tuple[str, dict[str, Any]]:
    """The document of `sectax list`, as text and as what it holds (`overview.Overview`)."""
    kept = Kept("list", {name: value for name, value in os.environ.items() if name in _MATTERS})
    text = kept.recall(_LONGEST_S)
    if text is None:
        import msgspec

        from sectax.workflow.overview import overview

        found = overview()
        text = msgspec.json.encode(found).decode()
        if not any(probe.lack for probe in found.probes):  # who mends what is lacking looks at once
            kept.keep(text, _made_of(found))
    return text, json.loads(text)


# What decides where programs and libraries are found.
_MATTERS = ("PATH", "HOME", "SECTAX_CACHE", "XDG_CACHE_HOME", "PYTHONPATH", "PHPRC", "PHP_INI_SCAN_DIR", "LD_PRELOAD")


def _made_of(found: Overview) -> Iterator[str]:
    """The manifests, programs and libraries of the probes, and the folder of the studies."""
    from sectax.published import reader
    from sectax.toolchain import probes

    yield os.path.join(os.path.dirname(reader.__file__), "studies")
    for line in found.probes:
        probe = probes.load(line.name)
        yield str(probe.folder / "probe.toml")
        environment = probe.environment_folder()
        if environment is not None:
            yield str(environment / "complete")
        if probe.manifest.setup is not None and probe.manifest.setup.lock:
            yield str(probe.folder / probe.manifest.setup.lock)
        for requirement in probe.manifest.requires:
            if (program := shutil.which(requirement.program)) is not None:
                yield os.path.realpath(program)
