"""Certificates of a run, and a client and a server for every library."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from sectax.experiments.interface import Bench
from sectax.experiments.tls import parts
from sectax.experiments.tls.certificates import Authority, authority
from sectax.experiments.tls.ends import Ends
from sectax.experiments.tls.levels import CONTROL, LIBRARY, Setup, delay_s, requested_levels, setups
from sectax.experiments.tls.subject import TlsSpec
from sectax.model.plan import Calibrated, Plan
from sectax.model.treatment import Treatment

_CERTIFICATES = "certificates"


class TlsBench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._delay_s = delay_s(plan.options)
        _, self._setups = setups(plan.preset, requested_levels(plan.options))
        self._ends: dict[tuple[str, str], Ends] = {}
        self._services = os.sched_getaffinity(0)

    def identity(self) -> dict[str, str]:
        libraries = {treatment.levels[LIBRARY.name] for treatment in self.plan.treatments}
        return {f"tls.{library}": parts.identity(library) for library in sorted(libraries)}

    def inputs(self) -> dict[str, str]:
        used = map(self._setup, self.plan.treatments)
        authorities = {setup.issued: authority(setup.certificate, setup.chain) for setup in used if setup.is_tls}
        return {_CERTIFICATES: msgspec.json.encode(authorities).decode()}

    def start(self, inputs: Mapping[str, str]) -> None:
        """Note the processors for services; every block starts its own servers there."""
        self._services = os.sched_getaffinity(0)

    def _setup(self, treatment: Treatment) -> Setup:
        return self._setups[treatment.levels[CONTROL]]

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> TlsSpec:
        library, setup = treatment.levels[LIBRARY.name], self._setup(treatment)
        authorities = msgspec.json.decode(inputs[_CERTIFICATES], type=dict[str, Authority])
        slow = (parts.command("go"), round(self._delay_s * 1e9)) if self._delay_s else None
        return TlsSpec(
            arm=treatment.id,
            library=library,
            setup=setup,
            ends=self._ends.setdefault((treatment.cell, library), Ends(parts.command(library), self._services, slow)),
            authority=authorities[setup.issued] if setup.is_tls else None,
            delay_s=self._delay_s,
            added_s=self.plan.added_s(treatment, calibrated),
        )
