"""What `sectax run hmac` plans, sends and refuses, before anything is deployed; and how it reads beside the study."""

from __future__ import annotations

import json
import time

import msgspec
import pytest

from sectax import published
from sectax.analysis.analyse import analyse
from sectax.analysis.compare import compare_with_published
from sectax.experiments.hmac import events, subjects
from sectax.experiments.hmac.experiment import EXPERIMENT
from sectax.experiments.hmac.experiment import _metrics as on_lambda_metrics
from sectax.experiments.hmac.levels import AUTHENTICATION, IMMEDIATE, NONE, PAYLOADS
from sectax.experiments.hmac.subjects import AuthorizerReferee
from sectax.experiments.interface import Billable
from sectax.experiments.on_lambda import AWS, LOCAL
from sectax.experiments.on_lambda.experiment import CPU_TIME
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.model.plan import Plan
from sectax.reports.comparison_layout import published_comparison
from tests.experiments.plans import ON_AWS, planner
from tests.fakes.measured import measured

STUDY = published.load("hmac-lambda-2023")
KEY = b"a key that only these tests know"
SALT = "00112233445566778899aabbccddeeff"
SOON = 4_000_000_000


# On AWS no sandbox is asked for, and nothing is called while a run is planned.
plan = planner("hmac", ON_AWS)


def specs_of(made: Plan) -> dict[str, FunctionSpec]:
    bench = EXPERIMENT.bench(made)
    return bench.specs(bench.inputs(), None)


def referee(treatment: str) -> AuthorizerReferee:
    return AuthorizerReferee(treatment, KEY, SALT, SOON)


def test_the_published_preset_is_the_studys_matrix_with_a_baseline() -> None:
    made = plan("published")

    assert len(made.cells) == 18
    assert {treatment.levels["authentication"] for treatment in made.treatments} == {"none", "hmac-sha512"}
    # With the first invocation of the instance, which the study counted with the others, five.
    assert made.rounds_range == (4, 4)
    assert {"worst_invocation", "median_invocation"} <= {metric.name for metric in made.metrics if not metric.compared}
    assert any("by hand" in choice for choice in made.choices)


@pytest.mark.parametrize("preset", ["quick", "default", "published"])
@pytest.mark.parametrize(("endpoint", "answer"), [(LOCAL, "cpu_time"), (AWS, "duration")])
def test_cpu_time_answers_where_it_is_known(preset, endpoint, answer) -> None:
    metrics = on_lambda_metrics(preset, {"authentication": AUTHENTICATION}, endpoint)

    assert metrics[0].name == answer
    assert {"duration", "whole"} <= {metric.name for metric in metrics}
    assert (CPU_TIME in metrics) == (endpoint == LOCAL)


@pytest.mark.parametrize(("endpoint", "whole"), [(LOCAL, "cpu_time"), (AWS, "duration")])
def test_cpu_time_of_the_steps_is_a_part_of_that_of_the_invocation_where_it_is_known(endpoint, whole) -> None:
    levels = {"authentication": ("none", "hmac-sha512"), "pace": ("spaced",)}
    metrics = {metric.name: metric for metric in on_lambda_metrics("quick", levels, endpoint)}

    assert metrics["whole_cpu"].part_of == metrics["check_cpu"].part_of == whole


def test_a_minute_is_answered_by_the_functions_own_steps_and_all_of_them_tell() -> None:
    made = plan("quick")

    assert [made.metrics[0].name, made.metrics[0].part_of] == ["whole_cpu", "duration"]
    assert made.beside == ("duration", "check_cpu")
    assert "own steps" in made.answered_by
    assert {spec.environment["ANATOMY"] for spec in specs_of(made).values()} == {"1"}


@pytest.mark.parametrize(
    ("preset", "levels"),
    [
        ("default", {}),
        ("published", {}),
        ("quick", {"authentication": "none,hmac-sha512,hmac-sha512-timed"}),
        ("quick", {"authentication": "none,hmac-sha512,immediate"}),
        ("quick", {"pace": "back-to-back"}),
    ],
)
def test_elsewhere_functions_run_without_a_clock_unless_they_are_the_timed_ones(preset, levels) -> None:
    made = plan(preset, **levels)
    specs = specs_of(made)

    assert made.metrics[0].name == "duration"
    for treatment in made.treatments:
        is_timed = treatment.levels["authentication"] == "hmac-sha512-timed"
        assert specs[treatment.id].environment["ANATOMY"] == str(int(is_timed))


def test_calls_back_to_back_outlast_the_quotas_period() -> None:
    assert plan(pace="back-to-back").batch_s > 0.02


def test_every_treatment_declares_the_memory_that_it_must_be_witnessed_with() -> None:
    assert {treatment.declares["memory_mb"] for treatment in plan(memory="512").treatments} == {512}


def test_the_bill_grows_with_the_memory() -> None:
    assert isinstance(EXPERIMENT, Billable)

    small, large = (EXPERIMENT.usage(plan("quick", memory=memory))[1].amount for memory in ("128", "1024"))

    assert large == pytest.approx(8 * small)


def test_nothing_secret_stands_in_the_plan_or_is_shown_of_a_spec() -> None:
    made = plan("quick")
    bench = EXPERIMENT.bench(made)
    inputs = bench.inputs()

    specs = bench.specs(inputs, None)

    shown = repr(specs) + msgspec.json.encode(made).decode()
    assert inputs["shared_key"] not in shown
    assert all(spec.environment["SHARED_KEY"] == inputs["shared_key"] for spec in specs.values())
    assert all(spec.service.endpoint is AWS for spec in specs.values())


def test_two_runs_have_nothing_secret_in_common() -> None:
    one, other = (EXPERIMENT.bench(plan("quick")).inputs() for _ in range(2))

    assert one["shared_key"] != other["shared_key"]
    assert one["salt"] != other["salt"]


def test_the_runs_control_of_itself_is_the_baseline_again() -> None:
    made = plan("quick")
    specs = specs_of(made)
    (control,) = (treatment for treatment in made.treatments if treatment.role.value == "negative-control")

    assert specs[control.id] == specs[made.cell(control.cell).baseline]


@pytest.mark.parametrize("size", PAYLOADS)
def test_the_event_is_what_the_payload_command_makes_and_lambda_takes(size: str) -> None:
    made = subjects.Events({"shared_key": KEY.decode(), "salt": SALT, "expires": str(SOON)})

    event = made.of("hmac-sha512", PAYLOADS[size])

    assert events.refusal("hmac-sha512", KEY, event, time.time()) == ""
    assert 1.3 < len(event) / PAYLOADS[size] < 1.5
    assert len(event) < events.LARGEST_EVENT_BYTES
    assert made.of(NONE, PAYLOADS[size]) is event


@pytest.mark.parametrize("variant", events.VARIANTS)
def test_the_referee_s_genuine_events_are_valid_and_tampered_ones_are_not(variant: str) -> None:
    def refused(text: str) -> str:
        return events.refusal(variant, KEY, text.encode(), time.time())

    assert [refused(text) for text in referee(variant).genuine()] == [""]
    for _ in range(50):
        assert all(refused(text) for text in referee(variant).tampered())


def test_a_function_that_checks_nothing_is_still_asked_for_the_form_of_an_event() -> None:
    (formless,) = referee(NONE).tampered()

    assert "token" not in json.loads(formless)
    assert referee(IMMEDIATE).tampered() == []


@pytest.mark.parametrize(
    ("treatment", "answer", "right"),
    [
        ("hmac-sha512", '{"isAuthorized": true}', True),
        ("hmac-sha512", '{"isAuthorized": false, "reason": "nothing was checked"}', False),
        ("hmac-sha512", '{"isAuthorized": true, "more": 1}', False),
        (NONE, '{"isAuthorized": false, "reason": "nothing was checked"}', True),
        (NONE, '{"isAuthorized": true}', False),
        (NONE, "no JSON", False),
    ],
)
def test_only_the_answer_of_the_treatment_itself_is_right(treatment: str, answer: str, right: bool) -> None:
    assert (referee(treatment).judge(answer) is None) is right


def test_every_figure_of_the_study_has_its_place_here() -> None:
    made = plan("published")
    blocks = tuple(range(1, 7))
    values: dict[str, dict[str, dict[int, float]]] = {}
    counterpart = STUDY.counterpart
    for table in STUDY.tables:
        metric = values.setdefault(counterpart.metrics[table.id], {})
        for payload, row in zip(table.row_labels, table.values, strict=True):
            for memory, printed in zip(table.column_labels, row, strict=True):
                wanted = {
                    "payload": counterpart.labels["payload"][payload],
                    "memory": counterpart.labels["memory"][memory],
                    "authentication": "hmac-sha512",
                }
                (treatment,) = (one for one in made.treatments if wanted.items() <= one.levels.items())
                metric[treatment.id] = dict.fromkeys(blocks, (printed or 0.0) * table.per_unit)

    visited = {treatment.id: blocks for treatment in made.treatments}
    compared = compare_with_published(analyse(measured(made, values, blocks, visited=visited)), STUDY)

    assert [table.printed.id for table in compared.tables] == [table.id for table in STUDY.tables]
    for table in compared.tables:
        (ours,) = table.here
        printed = [figure.value for row in table.there.figures for figure in row]
        assert [figure.value for row in ours.figures for figure in row] == pytest.approx(printed)
    assert any("by hand" in choice for choice in compared.choices)
    # Two tables of one metric have titles of their own.
    titles = [section.title for section in published_comparison(compared, show_all=True).sections]
    assert {"latency, ms (latency-max)", "latency, ms (latency-median)"} <= set(titles)
