"""The experiment `function`: functions by memory size and pace."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from sectax.experiments.function.options import Functions, check_files, read_environment, read_functions, read_text_file
from sectax.experiments.interface import Bench, Design, Machine, Option, Rules, RunRequest, Wanted
from sectax.experiments.levels import choose, make_name
from sectax.experiments.named import BASELINE, FOLDER
from sectax.experiments.on_lambda import AWS, EMPTY_EVENT, LOCAL
from sectax.experiments.on_lambda import experiment as on_lambda
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.bill import one_way
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor, Treatment

_MEMORY_MB = ("128", "1769")  # the smallest share of a processor, and a whole one

_ROUNDS = (4, 16)
_FAMILY = "functions"


class FunctionExperiment(on_lambda.LambdaExperiment):
    """Compare whole functions in fresh instances: Duration, cold start and memory."""

    name = "function"
    title = "How much more does one function cost than another?"
    factors = (
        Factor("memory", (*_MEMORY_MB, "…")),
        Factor("pace", (on_lambda.BACK_TO_BACK, on_lambda.SPACED)),
        Factor("function", (BASELINE, "…")),
    )
    options = (
        Option("baseline", "the function that the others are compared with, as a zip or a folder", "ZIP"),
        Option("treatment", "a function and its name", "NAME=ZIP", multiple=True),
        Option("event", "a file with the JSON event of all invocations (default: an empty object)", "FILE"),
        Option("expect", "a file with the JSON that each answer must equal", "FILE"),
        Option("runtime", "the runtime: python3.x or provided.al2023 (default: the Python that runs sectax)", "NAME"),
        Option("handler", "the function that the runtime calls (default lambda_function.lambda_handler)", "NAME"),
        Option("layer", "a layer for all functions, or for one", "[NAME=]ZIP|ARN", multiple=True),
        Option("env-file", "a file with NAME=VALUE lines, the functions' environment", "FILE"),
        Option("timeout", "the maximum duration of an invocation, as in 90s (default: 60s)", "TIME"),
        Option("gap", "the pause between an answer and the next event with pace=spaced (default: 100ms)", "TIME"),
        *on_lambda.ENDPOINT_OPTIONS,
    )
    assumed_s = 0.01
    assumes = (
        f"assumes invocations of {assumed_s * 1e3:g} ms and the most rounds and blocks; above "
        f"{on_lambda.BATCH_S * 1e3:g} ms the billed time grows with the Duration"
    )

    def wants(self, request: RunRequest) -> Wanted:
        return Wanted(parts=(on_lambda.LAMBDA,) if read_functions(request.options).endpoint == LOCAL else ())

    def design(self, request: RunRequest, machine: Machine) -> Design:
        options = dict(request.options) | {FOLDER: (machine.folder,)}
        functions = read_functions(options)
        available = (
            Factor("memory", on_lambda.memory_levels(request.levels.get("memory", _MEMORY_MB), _MEMORY_MB)),
            Factor("pace", (on_lambda.BACK_TO_BACK, on_lambda.SPACED)),
            Factor("function", tuple(functions.code)),
        )
        reported = on_lambda.metrics(functions.endpoint)
        return Design(
            factors=choose(available, {"pace": (on_lambda.BACK_TO_BACK,)}, request.levels),
            control="function",
            baseline=BASELINE,
            metrics=reported,
            rules=Rules(
                family=lambda levels: _FAMILY,
                lacks=lambda levels: (on_lambda.lambda_lack(functions.endpoint, machine),),
                declares=functools.partial(on_lambda.declares, functions.endpoint),
                # No known cost can be added to a user's function.
                positive=lambda levels: False,
            ),
            transfers=on_lambda.transfers(functions.endpoint),
            batch_s=on_lambda.BATCH_S,
            rounds_range=_ROUNDS,
            gap_s=functions.gap_s,
            options=options,
            answered_by=on_lambda.deciding_metric(reported),
            beside=(on_lambda.CPU_TIME.name,),
            # The local Lambda does not report runtime versions; `identity` records them for the run.
            equal_witnesses=("runtime", "architecture", *(("runtime_version",) if functions.endpoint is AWS else ())),
            words=on_lambda.METRIC_WORDS
            | on_lambda.service(functions.endpoint)
            | {f"pace={on_lambda.SPACED}": f"with idle gaps of {functions.gap_s * 1e3:g} ms"},
        )

    planted_metrics = ()

    def in_folders(
        self, options: Mapping[str, tuple[str, ...]], folders: Mapping[str, str], added: float
    ) -> dict[str, tuple[str, ...]] | None:
        if options.get("treatment") or not options.get("baseline") or added:
            return None
        (_, old), (name, new) = folders.items()
        path = options["baseline"][0]
        treatment = f"{make_name(name)}={os.path.join(new, path)}"
        return dict(options) | {"baseline": (os.path.join(old, path),), "treatment": (treatment,)}

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """Return the rules for the choice of a function and the cost of its requests."""
        choice = Choice(
            what="requests",
            uses=one_way(on_lambda.requests_usage),
            billed="billed_duration",
            changes="event or memory size",
        )
        return AdviceRules(plan.metrics[0].name, choice)

    def requirements(self) -> tuple[str, ...]:
        return (on_lambda.RUNTIME_CLIENT,)


class _Bench(on_lambda.LambdaBench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._functions = read_functions(plan.options)
        check_files(self._functions)
        _check_handlers(self._functions)
        self._expected = None if self._functions.expected is None else read_text_file(self._functions.expected)

    def inputs(self) -> dict[str, str]:
        return read_environment(self._functions.environment)

    def identity(self) -> dict[str, str]:
        from sectax.experiments.on_lambda.code import digest
        from sectax.parts import lambda_local

        functions = self._functions
        marks = {f"function.{name}": f"sha256 {digest(path)}" for name, path in functions.code.items()}
        if functions.endpoint == LOCAL and functions.runtime.startswith("python"):
            # Its name includes the interpreter's version and a hash of its content.
            marks["function.runtime"] = lambda_local.client(functions.runtime)
        for name, layers in functions.layers.items():
            versions = [layer if layer.startswith("arn:") else digest(layer) for layer in layers]
            marks |= {f"function.{name}.layers": ", ".join(versions)} if versions else {}
        if functions.event is not None:
            marks["function.event"] = hashlib.sha256(Path(functions.event).read_bytes()).hexdigest()[:16]
        return marks

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        from sectax.experiments.on_lambda.subject import FunctionSpec  # with AWS's client

        name, functions = treatment.levels["function"], self._functions
        return FunctionSpec(
            name=name,
            code=functions.code[name],
            runtime=functions.runtime,
            handler=functions.handler,
            memory_mb=int(treatment.levels["memory"]),
            timeout_s=functions.timeout_s,
            environment=dict(inputs),
            layers=functions.layers[name],
            events=(EMPTY_EVENT if functions.event is None else functions.event,),
            gap_s=(self.plan.gap_s or functions.gap_s) if treatment.levels["pace"] == on_lambda.SPACED else 0.0,
            role=self.role,
            expected=self._expected,
            service=self.service,
        )


def _check_handlers(functions: Functions) -> None:
    """Reject functions that cannot start, before any deployment."""
    from sectax.experiments.on_lambda.code import check_handler, read_code

    for name, path in functions.code.items():
        layers = bool(functions.layers[name])
        check_handler(f"function {name!r}", read_code(path), functions.runtime, functions.handler, layers=layers)
