"""What a function's subject observes and witnesses, with the local Lambda's real sandboxes."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from sectax.experiments.on_lambda import AWS, LOCAL, services
from sectax.experiments.on_lambda.experiment import declares
from sectax.experiments.on_lambda.local_lambda import LocalLambda
from sectax.experiments.on_lambda.subject import FunctionSubject
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.on_lambda.functions import close_services, folder, needs_sandbox, service, spec

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


@pytest.fixture(scope="module", autouse=True)
def _one_server() -> Iterator[None]:
    yield
    close_services()


def names() -> list[str]:
    listed = service().client(60.0).list_functions()["Functions"]
    return [function["FunctionName"] for function in listed]


def opened(given) -> tuple[FunctionSubject, dict]:
    subject = given.subject()
    subject.start()
    return subject, subject.open()


def test_witnesses_are_the_configuration_and_the_limits_and_both_keep_what_the_memory_declared(tmp_path):
    subject, witnesses = opened(spec(folder(tmp_path, COUNTS), memory_mb=512))
    subject.close()

    declared = declares(LOCAL, {"memory": "512"})
    assert set(declared) == {"memory_mb", "memory_limit_mb", "cpu_quota"}
    assert declared.items() <= witnesses.items()
    assert witnesses["runtime"].startswith("python3.")
    assert len(witnesses["code_sha256"]) == 44
    assert witnesses["cgroup"] in ("v1", "v2")


def test_the_cold_start_is_the_first_observation_and_no_other(tmp_path):
    subject, _ = opened(spec(folder(tmp_path, SLOW_TO_START)))
    visit = subject.visit(Work(count=5, settle=2))
    subject.close()

    durations = [observation.value for observation in visit.observations if observation.metric == "duration"]
    first = {observation.metric: observation.value for observation in subject.first}
    assert len(durations) == 5
    assert first["first"] == first["first.init"] + first["first.duration"]
    assert first["first.init"] >= 0.2
    assert first["first.duration"] > 0
    assert "cold_starts" not in visit.telemetry


def test_every_invocation_is_billed_for_whole_milliseconds(tmp_path):
    subject, _ = opened(spec(folder(tmp_path, COUNTS)))
    visit = subject.visit(Work(count=3))
    subject.close()

    told = {
        name: [observation.value for observation in visit.observations if observation.metric == name]
        for name in ("duration", "billed_duration")
    }
    assert told["billed_duration"] == [pytest.approx(math.ceil(1e3 * item) / 1e3) for item in told["duration"]]


def test_with_the_first_counted_an_instance_tells_it_among_all_others(tmp_path):
    subject, _ = opened(spec(folder(tmp_path, COUNTS), counts_first=True))
    visit = subject.visit(Work(count=4))
    subject.close()

    observed = [*subject.first, *visit.observations]
    invocations = [observation.value for observation in observed if observation.metric == "invocation"]
    assert len(invocations) == 5
    assert invocations[0] == next(
        observation.value for observation in subject.first if observation.metric == "first.duration"
    )


TELLS = "def handler(event, context):\n    return {'ok': True, 'parts': {'mac_ns': 1_500, 'whole_ns': 2_000}}\n"


def test_the_parts_that_an_answer_tells_of_are_observations_and_no_part_of_the_answer(tmp_path):
    subject, _ = opened(spec(folder(tmp_path, TELLS), parts_in="parts", expected='{"ok": true}'))
    visit = subject.visit(Work(count=2, settle=1))
    subject.close()

    parts = [
        (observation.metric, observation.value)
        for observation in visit.observations
        if observation.clock == "the function's own clock"
    ]
    assert parts == 2 * [("mac", pytest.approx(1.5e-6)), ("whole", pytest.approx(2e-6))]


def test_a_function_that_was_to_tell_its_parts_and_does_not_is_not_measured(tmp_path):
    subject, _ = opened(spec(folder(tmp_path, TELLS), parts_in="anatomy"))

    with pytest.raises(SubjectFailed, match="no nanoseconds in `anatomy`"):
        subject.visit(Work(count=1))


def test_a_visit_tells_memory_once_and_telemetry_of_all_its_invocations(tmp_path):
    subject, _ = opened(spec(folder(tmp_path, COUNTS)))
    visit = subject.visit(Work(count=3, settle=1))
    subject.close()

    memory = [observation for observation in visit.observations if observation.metric == "max_memory_used"]
    durations = sum(observation.value for observation in visit.observations if observation.metric == "duration")
    behind = [observation.value for observation in visit.observations if observation.metric == "after_answer"]
    assert len(behind) == 3
    assert 0 < sum(behind) < durations
    assert [observation.unit for observation in memory] == ["B"]
    assert memory[0].value > 2**20
    assert visit.telemetry["spanned_s"] > durations  # the one that settled is in it
    assert visit.telemetry.keys() >= {"cpu_time_s", "throttled_s", "throttled_periods", "periods"}


@pytest.mark.full  # on a machine so busy that work gets less than its quota nothing is throttled
def test_work_within_a_period_is_throttled_back_to_back_and_not_with_idle_gaps(tmp_path):
    code = folder(tmp_path, BURNS)
    held = {}
    for gap_s in (0.0, 0.1):
        subject, _ = opened(spec(code, memory_mb=128, gap_s=gap_s))
        visit = subject.visit(Work(count=12, settle=3))
        subject.close()
        held[gap_s] = visit.telemetry["throttled_periods"]

    # 0.8 ms of work in a share of 1.4 ms in 20: alone it fits, the second and third in a row do not.
    assert held[0.0] > 2 * held[0.1]


def test_events_are_taken_by_turns_and_every_block_meets_a_fresh_instance(tmp_path):
    event = tmp_path / "event.json"
    event.write_text('"from a file"')
    given = spec(folder(tmp_path, COUNTS), events=(b'"bytes"', str(event)), referee=Calls())
    for _ in range(2):
        subject, _ = opened(given)
        subject.visit(Work(count=2))
        subject.close()

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
    closed, _ = opened(spec(code))
    killed, _ = opened(spec(code))
    before = names()
    closed.close()
    killed.kill()
    killed.kill()

    assert len(before) == 2
    assert names() == []


def test_layers_are_published_once_and_found_in_opt(tmp_path):
    layer = tmp_path / "layer"
    layer.mkdir()
    (layer / "word").write_text("from the layer")
    code = folder(tmp_path, "def handler(event, context):\n    return open('/opt/word').read()\n")
    given = spec(code, layers=(str(layer),), expected='"from the layer"')
    first, before = opened(given)
    second, after = opened(given)
    first.close()
    second.close()

    assert before["layers"] == after["layers"]
    assert before["layers"].endswith(":1")


@pytest.mark.more
def test_without_an_endpoint_aws_s_client_finds_its_own_and_the_same_calls_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr(services, "_AWS_ITSELF", {})  # the one thing that keeps the next variable from diverting it
    with LocalLambda() as elsewhere:
        settings = {"ENDPOINT_URL": elsewhere.endpoint, "ACCESS_KEY_ID": "local", "SECRET_ACCESS_KEY": "local"}
        for name, value in (settings | {"DEFAULT_REGION": "eu-central-1"}).items():
            monkeypatch.setenv(f"AWS_{name}", value)
        subject, witnesses = opened(spec(folder(tmp_path, COUNTS), endpoint=AWS, memory_mb=256))
        there = [function["FunctionName"] for function in elsewhere.client().list_functions()["Functions"]]
        visit = subject.visit(Work(count=2))
        subject.close()

    assert len(there) == 1
    assert there[0].startswith("sectax-plain-")
    assert declares(AWS, {"memory": "256"}) == {"memory_mb": 256}
    assert witnesses["memory_mb"] == 256
    assert [observation.metric for observation in visit.observations].count("duration") == 2


def test_the_environment_reaches_the_function_and_is_shown_nowhere(tmp_path):
    code = folder(tmp_path, "import os\ndef handler(event, context):\n    return os.environ['TOKEN'][:3]\n")
    given = spec(code, environment={"TOKEN": "abcdefghijklmnopqrstuvwxyz"}, expected='"abc"')
    subject, witnesses = opened(given)
    subject.close()

    assert "abcdefgh" not in repr(given) + repr(witnesses)


def test_a_spaced_function_waits_since_its_own_last_answer(tmp_path, monkeypatch):
    subject, _ = opened(spec(folder(tmp_path, COUNTS), gap_s=30.0))
    slept: list[float] = []
    now = time.monotonic()
    monkeypatch.setattr(
        "sectax.experiments.on_lambda.subject.time", SimpleNamespace(monotonic=lambda: now, sleep=slept.append)
    )

    subject.visit(Work(count=1))
    now += 31.0  # what others are given meanwhile: the pace is its own
    subject.visit(Work(count=1))
    subject.visit(Work(count=1))
    monkeypatch.undo()
    subject.close()

    assert slept == [pytest.approx(30.0, abs=5.0), pytest.approx(30.0)]
