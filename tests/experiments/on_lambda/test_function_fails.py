"""What goes wrong with a function ends its trial in words that say what, and leaves no function behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sectax.experiments.on_lambda import AWS
from sectax.experiments.on_lambda.local_lambda import LocalLambda
from sectax.experiments.on_lambda.services import Service
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.on_lambda.functions import close_services, folder, needs_sandbox, service, spec


@pytest.fixture(scope="module", autouse=True)
def _one_server() -> Iterator[None]:
    yield
    close_services()


def failure(given) -> SubjectFailed:
    with pytest.raises(SubjectFailed) as caught:
        measure(given)
    assert caught.value.hint
    return caught.value


def measure(given) -> None:
    subject = given.subject()
    subject.open()
    subject.visit(Work(count=3))


RAISES = "def handler(event, context):\n    print('about to')\n    raise ValueError('no such thing')\n"
LATER = "calls = 0\ndef handler(event, context):\n    global calls\n    calls += 1\n    return 1 if calls < 3 else 2\n"
DIES = "import os\ndef handler(event, context):\n    os._exit(3)\n"
LEAKS = "import os\ndef handler(event, context):\n    raise ValueError(os.environ['TOKEN'])\n"

SITUATIONS = [
    (RAISES, {}, "open", "ValueError: no such thing.*last in its log: .*line 3, in handler"),
    ("import time\ndef handler(e, c):\n    time.sleep(60)\n", {"timeout_s": 1}, "open", "timed out after 1.00 seconds"),
    ("def handler(e, c):\n    return len(bytearray(10**9))\n", {"memory_mb": 128}, "open", "signal: killed"),
    (LATER, {"expected": "1"}, "visit", "gave a wrong answer: 2"),
    (DIES, {}, "open", "Runtime.ExitError.*exit status 3"),
    ("import nothing\n", {}, "open", "ImportModuleError"),
    (LATER, {"runtime": "nodejs4.x"}, "open", "CreateFunction was refused: .*nodejs4.x is not here"),
    (LATER, {"memory_mb": 64}, "open", "MemorySize, value: 64"),
    (LATER, {"events": (b"{",)}, "open", "Invoke was refused: InvalidRequestContentException"),
    (LATER, {"events": ("/no/such/file",)}, "open", "event cannot be read"),
]


@pytest.mark.more
@needs_sandbox
@pytest.mark.parametrize(
    ("source", "more", "stage", "words"), SITUATIONS, ids=[situation[3][:24] for situation in SITUATIONS]
)
def test_a_failure_is_reported_with_a_hint_and_leaves_no_function(tmp_path, source, more, stage, words):
    given = spec(folder(tmp_path, source), **more)

    reason = failure(given)

    assert re.search(words, reason.message), reason.message
    assert reason.message.startswith(f"function plain ({given.memory_mb} MB): ")
    assert reason.stage == stage
    assert service().client(60.0).list_functions()["Functions"] == []


@needs_sandbox
def test_an_error_that_quotes_the_environment_is_reported_without_it(tmp_path):
    token = "tok-abcdefghijklmnopqrstuvwxyz"

    reason = failure(spec(folder(tmp_path, LEAKS), environment={"TOKEN": token}))

    assert "ValueError" in reason.message
    assert "abcdefgh" not in reason.message + reason.hint


class Referee:
    """Knows one event that must be refused."""

    expects_artefact = True

    def genuine(self) -> list[str]:
        return ['"good"']

    def tampered(self) -> list[str]:
        return ['"bad"']

    def judge(self, artefact: str) -> str | None:
        return None if artefact == "true" else "it was not accepted"


@needs_sandbox
def test_a_function_that_accepts_a_tampered_event_is_not_measured(tmp_path):
    events = (b'"good"',)
    honest = folder(tmp_path, "def handler(event, context):\n    return event == 'good'\n", "honest")
    lax = folder(tmp_path, "def handler(event, context):\n    return True\n", "lax")
    subject = spec(honest, events=events, referee=Referee()).subject()
    subject.open()
    subject.visit(Work(count=1))
    subject.close()

    reason = failure(spec(lax, events=events, referee=Referee()))

    assert "accepted a tampered event" in reason.message


@needs_sandbox
def test_a_throttle_is_a_failure_and_no_slow_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    code = folder(tmp_path, "def handler(event, context):\n    return 1\n")
    with LocalLambda(instances=0) as full:
        reason = failure(spec(code, endpoint=full.endpoint))

    assert "Invoke was refused: TooManyRequestsException" in reason.message
    assert "throttles" in reason.hint


def test_a_service_that_went_away_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    code = folder(tmp_path, "def handler(event, context):\n    return 1\n")

    reason = failure(replace(spec(code, endpoint=AWS), service=Service("http://127.0.0.1:1")))

    assert "cannot be reached" in reason.message


def test_code_that_is_no_archive_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    text = tmp_path / "code.zip"
    text.write_text("no zip")

    assert "is no zip" in failure(spec(str(text), endpoint=AWS)).message
    assert "is not there" in failure(spec(str(tmp_path / "gone"), endpoint=AWS)).message
