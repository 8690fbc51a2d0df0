"""Runs the conformance suite on a probe, with the operations, inputs and referees of the experiments that it serves."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from sectax.experiments import registry
from sectax.experiments.interface import HasProbeCases
from sectax.experiments.on_probe.conformance import Case, CheckResult, check_probe, claimed_operations
from sectax.model.errors import WrongUse
from sectax.parts import probes
from sectax.text.near import did_you_mean
from sectax.workflow.environment import machine_load

# Anything that a probe does takes less of an idle processor. A cold JVM needs 2 s of it for five PBKDF2.
_PATIENCE_S = 10.0


def check(words: list[str]) -> Iterator[CheckResult]:
    """Check a registered probe, where `words` is its name alone, or any command line, run in this folder.

    Raises:
        WrongUse: there is neither such a probe nor such a program.
    """
    if len(words) == 1 and words[0] in probes.names():
        probe = probes.load(words[0])
        argv, folder = probe.command(), str(probe.folder)
    else:
        if shutil.which(words[0]) is None:
            raise WrongUse(f"there is no probe and no program {words[0]!r}", did_you_mean(words[0], probes.names()))
        argv, folder = tuple(words), os.getcwd()
    load = machine_load()
    patience_s = _PATIENCE_S * max(1.0, load.load / load.cpus)
    return check_probe(argv, folder, cases=_cases(claimed_operations(argv, folder, patience_s)), patience_s=patience_s)


def _cases(claimed: frozenset[str] | None) -> list[Case]:
    """Those of every experiment of whose operations the probe claims any; of all where it cannot be asked."""
    experiments = (registry.load(name) for name in registry.names())
    return [
        case
        for experiment in experiments
        if isinstance(experiment, HasProbeCases) and (claimed is None or claimed & set(experiment.operations))
        for case in experiment.probe_cases()
    ]
