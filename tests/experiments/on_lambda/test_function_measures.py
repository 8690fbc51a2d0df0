"""What a function's subject observes and witnesses, with the local Lambda's real sandboxes."""

from __future__ import annotations

import json
import math
import time
from types import SimpleNamespace

import pytest

from sectax.experiments.on_lambda import AWS, LOCAL, services
from sectax.experiments.on_lambda.experiment import declares
from sectax.experiments.on_lambda.local_lambda import LocalLambda
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.model.subject import Observation, Visit, Work
from tests.experiments.on_lambda.functions import folder, needs_sandbox, service, spec
from tests.experiments.subjects import failure, measured, subject_of, values

pytestmark = needs_sandbox

COUNTS = """
calls = 0
def handler(event, context):
    global calls
    calls += 1
    return {"calls": calls, "event": event}
"""
SLOW_TO_START = f"import time; time.sleep(0.2)\n{COUNTS}"
# The same work whatever the machine: so much CPU time.
BURNS = """
import time
def handler(event, context):
    until = time.process_time() + 0.0008
    while time.process_time() < until:
        pass
"""
TELLS = "def handler(event, context):\n    return {'ok': True, 'parts': {'mac_ns': 1_500, 'whole_ns': 2_000}}\n"


def visited(given: FunctionSpec, work: Work) -> tuple[tuple[Observation, ...], Visit]:
    """What was observed of its first invocation, and of the others."""
    with subject_of(given) as subject:
        subject.open()
        visit = subject.visit(work)
        subject.close()
        return subject.first, visit


def test_witnesses_are_the_configuration_and_the_limits_and_both_keep_what_the_memory_declared(tmp_path):
    witnesses, _, _ = measured(spec(folder(tmp_path, COUNTS), memory_mb=512), Work(1))

    declared = declares(LOCAL, {"memory": "512"})
    assert set(declared) == {"memory_mb", "memory_limit_mb", "cpu_quota"}
    assert declared.items() <= witnesses.items()
    assert witnesses["runtime"].startswith("python3.")
    assert len(witnesses["code_sha256"]) == 44
    assert witnesses["cgroup"] in ("v1", "v2")


def test_the_cold_start_is_the_first_observation_and_no_other(tmp_path):
    observed, visit = visited(spec(folder(tmp_path, SLOW_TO_START)), Work(count=5, settle=2))

    first = {observation.metric: observation.value for observation in observed}
    assert len(values(visit.observations, "duration")) == 5
    assert first["first"] == first["first.init"] + first["first.duration"]
    assert first["first.init"] >= 0.2
    assert first["first.duration"] > 0
    assert "cold_starts" not in visit.telemetry


def test_every_invocation_is_billed_for_whole_milliseconds(tmp_path):
    _, visit = visited(spec(folder(tmp_path, COUNTS)), Work(count=3))

    whole_ms = [pytest.approx(math.ceil(1e3 * item) / 1e3) for item in values(visit.observations, "duration")]
    assert values(visit.observations, "billed_duration") == whole_ms


def test_with_the_first_counted_an_instance_reports_it_among_all_others(tmp_path):
    first, visit = visited(spec(folder(tmp_path, COUNTS), counts_first=True), Work(count=4))

    invocations = values([*first, *visit.observations], "invocation")
    assert len(invocations) == 5
    assert invocations[0] == values(first, "first.duration")[0]


def test_the_parts_in_an_answer_are_observations_and_no_part_of_the_answer(tmp_path):
    given = spec(folder(tmp_path, TELLS), parts_in="parts", expected='{"ok": true}')
    _, visit = visited(given, Work(count=2, settle=1))

    parts = [(one.metric, one.value) for one in visit.observations if one.clock == "the function's own clock"]
    assert parts == 2 * [("mac", pytest.approx(1.5e-6)), ("whole", pytest.approx(2e-6))]


def test_a_function_that_does_not_report_its_parts_is_not_measured(tmp_path):
    assert "`anatomy`" in failure(spec(folder(tmp_path, TELLS), parts_in="anatomy")).message


def test_a_visit_reports_memory_once_and_telemetry_of_all_its_invocations(tmp_path):
    _, visit = visited(spec(folder(tmp_path, COUNTS)), Work(count=3, settle=1))

    behind = values(visit.observations, "after_answer")
    assert len(behind) == 3
    assert 0 < sum(behind) < visit.summed_s("duration")
    ((unit, peak),) = ((one.unit, one.value) for one in visit.observations if one.metric == "max_memory_used")
    assert unit == "B"
    assert peak > 2**20
    assert visit.telemetry["spanned_s"] > visit.summed_s("duration")  # the one that settled is in it
    assert visit.telemetry.keys() >= {"cpu_time_s", "throttled_s", "throttled_periods", "periods"}


@pytest.mark.full  # on a machine so busy that work gets less than its quota nothing is throttled
def test_work_within_a_period_is_throttled_back_to_back_and_not_with_idle_gaps(tmp_path):
    code = folder(tmp_path, BURNS)
    back_to_back, spaced = (
        visited(spec(code, memory_mb=128, gap_s=gap_s), Work(count=12, settle=3))[1].telemetry["throttled_periods"]
        for gap_s in (0.0, 0.1)
    )

    # 0.8 ms of work in a share of 1.4 ms in 20: alone it fits, the second and third in a row do not.
    assert back_to_back > 2 * spaced


def test_events_are_used_in_turn_and_every_block_has_a_fresh_instance(tmp_path):
    event = tmp_path / "event.json"
    event.write_text('"from a file"')
    given = spec(folder(tmp_path, COUNTS), events=(b'"bytes"', str(event)), referee=Calls())
    for _ in range(2):
        visited(given, Work(count=2))

    assert Calls.seen == [(1, "bytes"), (2, "from a file"), (3, "bytes")] * 2


class Calls:
    """A referee that lets everything pass and remembers the answers."""

    seen: list[tuple[int, str]] = []  # noqa: RUF012 - one for all, as a spec is data

    def genuine(self) -> list[str]:
        return []

    def tampered(self) -> list[str]:
        return []

    def judge(self, artefact: str) -> str | None:
        answer = json.loads(artefact)
        self.seen.append((answer["calls"], answer["event"]))
        return None


def test_closing_and_killing_delete_the_function(tmp_path):
    code = folder(tmp_path, COUNTS)
    list_functions = service().client(60.0).list_functions
    closed, killed = (spec(code).subject() for _ in range(2))
    for subject in (closed, killed):
        subject.open()
    before = list_functions()["Functions"]
    closed.close()
    killed.kill()
    killed.kill()

    assert len(before) == 2
    assert list_functions()["Functions"] == []


def test_layers_are_published_once_and_found_in_opt(tmp_path):
    layer = tmp_path / "layer"
    layer.mkdir()
    (layer / "word").write_text("from the layer")
    code = folder(tmp_path, "def handler(event, context):\n    return open('/opt/word').read()\n")
    given = spec(code, layers=(str(layer),), expected='"from the layer"')
    before, after = (measured(given, Work(1))[0]["layers"] for _ in range(2))

    assert before == after
    assert before.endswith(":1")


@pytest.mark.more
def test_without_an_endpoint_aws_s_client_finds_its_own_and_the_same_calls_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr(services, "_AWS_ITSELF", {})  # the one thing that keeps the next variable from diverting it
    with LocalLambda() as elsewhere:
        settings = {"ENDPOINT_URL": elsewhere.endpoint, "ACCESS_KEY_ID": "local", "SECRET_ACCESS_KEY": "local"}
        for name, value in (settings | {"DEFAULT_REGION": "eu-central-1"}).items():
            monkeypatch.setenv(f"AWS_{name}", value)
        with subject_of(spec(folder(tmp_path, COUNTS), endpoint=AWS, memory_mb=256)) as subject:
            witnesses = subject.open()
            there = [function["FunctionName"] for function in elsewhere.client().list_functions()["Functions"]]
            visit = subject.visit(Work(count=2))

    assert len(there) == 1
    assert there[0].startswith("sectax-plain-")
    assert declares(AWS, {"memory": "256"}) == {"memory_mb": 256}
    assert witnesses["memory_mb"] == 256
    assert len(values(visit.observations, "duration")) == 2


def test_the_environment_reaches_the_function_and_is_shown_nowhere(tmp_path):
    code = folder(tmp_path, "import os\ndef handler(event, context):\n    return os.environ['TOKEN'][:3]\n")
    given = spec(code, environment={"TOKEN": "abcdefghijklmnopqrstuvwxyz"}, expected='"abc"')
    witnesses, _, _ = measured(given, Work(1))

    assert "abcdefgh" not in repr(given) + repr(witnesses)


def test_a_spaced_function_waits_since_its_own_last_answer(tmp_path, monkeypatch):
    slept: list[float] = []
    now = time.monotonic()
    with subject_of(spec(folder(tmp_path, COUNTS), gap_s=30.0)) as subject:
        subject.open()
        monkeypatch.setattr(
            "sectax.experiments.on_lambda.subject.time", SimpleNamespace(monotonic=lambda: now, sleep=slept.append)
        )
        subject.visit(Work(count=1))
        now += 31.0  # what others are given meanwhile: the pace is its own
        subject.visit(Work(count=1))
        subject.visit(Work(count=1))
        monkeypatch.undo()

    assert slept == [pytest.approx(30.0, abs=5.0), pytest.approx(30.0)]
