"""An experiment of somebody else's over two hosts: `true` here, and `true` on the host of `wrapped_host.EMPTIED`."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.experiments.command.subject import CommandSpec
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.treatment import Factor, Treatment
from tests.fakes.wrapped_host import EMPTIED

WORLDS = {"local": "", EMPTIED: "blue"}


class PlacesExperiment(Experiment):
    name = "places"
    title = "What does another place cost?"
    factors = (Factor("place", tuple(WORLDS)),)

    def design(self, request: RunRequest, machine: Machine) -> Design:
        return Design(
            factors=self.factors,
            control="place",
            baseline="local",
            metrics=(Metric("wall", "s", Better.LOWER, Summary.MEAN, observed="wall"),),
            rules=Rules(extra_operations=False),
            transfers="Nothing.",
            batch_s=0.002,
            rounds_range=(2, 2),
            warms_up=False,
            settles=False,
            equal_counts=True,
            one_processor=True,
            hosts=(EMPTIED,),
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)


class _Bench(Bench):
    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> CommandSpec:
        place = treatment.levels["place"]
        # It fails anywhere but where it was put.
        return CommandSpec(place, ("sh", "-c", f'test "$WORLD" = "{WORLDS[place]}"'), host=place)


PLACES = PlacesExperiment()
