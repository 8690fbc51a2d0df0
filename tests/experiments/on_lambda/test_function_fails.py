"""What goes wrong with a function ends its trial in words that say what, and leaves no function behind."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from botocore.exceptions import EndpointConnectionError

from sectax.experiments.on_lambda import AWS
from sectax.experiments.on_lambda.local_lambda import LocalLambda
from sectax.experiments.on_lambda.services import LambdaService
from sectax.model.subject import Work
from tests.experiments.on_lambda.functions import folder, needs_sandbox, service, spec
from tests.experiments.subjects import failure, measured

RAISES = "def handler(event, context):\n    print('about to')\n    raise ValueError('no such thing')\n"
LATER = "calls = 0\ndef handler(event, context):\n    global calls\n    calls += 1\n    return 1 if calls < 3 else 2\n"
DIES = "import os\ndef handler(event, context):\n    os._exit(3)\n"
LEAKS = "import os\ndef handler(event, context):\n    raise ValueError(os.environ['TOKEN'])\n"

SITUATIONS = [
    (RAISES, {}, "open", "ValueError: no such thing.*line 3, in handler"),
    ("import time\ndef handler(e, c):\n    time.sleep(60)\n", {"timeout_s": 1}, "open", "1.00 seconds"),
    ("def handler(e, c):\n    return len(bytearray(10**9))\n", {"memory_mb": 128}, "open", "signal: killed"),
    (LATER, {"expected": "1"}, "visit", ": 2,"),
    (DIES, {}, "open", "Runtime.ExitError.*exit status 3"),
    ("import nothing\n", {}, "open", "ImportModuleError"),
    (LATER, {"runtime": "nodejs4.x"}, "open", "CreateFunction.*nodejs4.x"),
    (LATER, {"memory_mb": 64}, "open", "MemorySize, value: 64"),
    (LATER, {"events": (b"{",)}, "open", "Invoke.*InvalidRequestContentException"),
    (LATER, {"events": ("/no/such/file",)}, "open", "/no/such/file"),
]


@pytest.mark.more
@needs_sandbox
@pytest.mark.parametrize(
    ("source", "more", "stage", "words"), SITUATIONS, ids=[situation[3][:24] for situation in SITUATIONS]
)
def test_a_failure_is_reported_with_a_hint_and_leaves_no_function(tmp_path, source, more, stage, words):
    given = spec(folder(tmp_path, source), **more)

    reason = failure(given, Work(count=3))

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
    measured(spec(honest, events=events, referee=Referee()), Work(count=1))

    assert "tampered" in failure(spec(lax, events=events, referee=Referee())).message


@needs_sandbox
@pytest.mark.usefixtures("any_credentials")
def test_a_throttle_is_a_failure_and_no_slow_answer(tmp_path):
    with LocalLambda(instances=0) as full:
        failed = failure(spec(folder(tmp_path), endpoint=full.endpoint))

    assert "TooManyRequestsException" in failed.message


@pytest.mark.usefixtures("any_credentials")
def test_a_service_that_went_away_is_reported(tmp_path):
    failed = failure(replace(spec(folder(tmp_path), endpoint=AWS), service=LambdaService("http://127.0.0.1:1")))

    assert isinstance(failed.__cause__, EndpointConnectionError)


def test_code_that_is_no_archive_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    text = tmp_path / "code.zip"
    text.write_text("no zip")

    for path in (text, tmp_path / "gone"):
        assert path.name in failure(spec(str(path), endpoint=AWS)).message
