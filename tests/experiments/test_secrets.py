"""The experiment secrets with its real parts: the function in the local Lambda, AWS's agent, moto behind TLS."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sectax.experiments.on_lambda.code import read_code
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.experiments.secrets import levels
from sectax.experiments.secrets.experiment import AGENT, EXPERIMENT
from sectax.experiments.secrets.subject import SecretSpec, delay_in_words
from sectax.model.errors import SubjectFailed
from sectax.model.plan import Plan
from sectax.model.subject import Work
from sectax.model.why_not import WhyNot
from tests.experiments.on_lambda.functions import PYTHON, needs_sandbox
from tests.machines import complete, plan_of, request_for, without
from tests.needs import needs
from tests.program import sectax

MEMORY = "1769"
ON_AWS = {"endpoint": ("aws",), "role": ("arn:aws:iam::123456789012:role/lambda",)}
WAYS = [(access, language) for access, way in levels.ACCESS.items() for language in way.languages]
real = [needs_sandbox, needs("moto"), needs("the agent of Secrets Manager"), pytest.mark.more]


def plan(preset: str = "default", **asked: tuple[str, ...]) -> Plan:
    return plan_of("secrets", preset, asked)


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    every = {"situation": levels.SITUATIONS, "language": levels.LANGUAGES}
    with EXPERIMENT.bench(plan(memory=(MEMORY,), **every)) as opened:
        opened.start({})
        yield opened


def spec(bench: Any, access: str, situation: str, language: str = levels.PYTHON) -> SecretSpec:
    wanted = {"access": access, "situation": situation, "memory": MEMORY, "language": language}
    treatment = next(treatment for treatment in bench.plan.treatments if wanted.items() <= treatment.levels.items())
    made: SecretSpec = bench.spec(treatment, {}, None)
    return made


@contextlib.contextmanager
def opened(bench: Any, access: str, situation: str, language: str = levels.PYTHON) -> Iterator[Any]:
    subject = spec(bench, access, situation, language).subject()
    try:
        subject.open()
        yield subject
    finally:
        subject.kill()


def test_every_figure_declares_how_often_the_service_is_asked() -> None:
    told = {
        (treatment.levels["access"], treatment.levels["situation"]): treatment.declares
        for treatment in plan().treatments
    }

    assert told["sidecar", "hit"]["backend_calls"] == "0 for each access"
    assert told["library", "miss"]["backend_calls"] == "2 for each access"
    assert told["direct", "hit"]["backend_calls"] == "1 for each access"


def test_the_stand_in_is_named_in_every_plan() -> None:
    for preset in EXPERIMENT.presets:
        assert "moto" in plan(preset).transfers
        assert any("stood in for by moto" in choice for choice in plan(preset).choices)


def test_without_the_agent_the_other_ways_are_measured() -> None:
    request = request_for("default", {"situation": ("hit",), "memory": (MEMORY,)})
    no_cargo = WhyNot("cargo is not installed", "apt-get install cargo")

    made = EXPERIMENT.plan(request, without(complete(EXPERIMENT, request), AGENT, why_not=no_cargo))

    skipped = {
        treatment.levels["access"]: treatment.why_not for treatment in made.skipped if treatment.why_not == no_cargo
    }
    assert skipped.keys() == {"sidecar", "sidecar-new"}
    assert {treatment.levels["access"] for treatment in made.treatments} == {
        "dictionary",
        "library",
        "direct",
        "direct-new",
    }


def test_on_aws_the_sidecar_needs_its_layer_and_no_call_is_promised() -> None:
    the_plan = plan_of("secrets", "quick", {}, ON_AWS)

    assert {treatment.levels["access"]: treatment.hint for treatment in the_plan.skipped} == {
        "sidecar": "add --layer ARN"
    }
    assert not any("backend_calls" in treatment.declares for treatment in the_plan.treatments)
    assert not any("moto" in text for text in (the_plan.transfers, *the_plan.choices))
    layer = {"layer": ("arn:aws:lambda:us-east-1:123456789012:layer:extension:11",)}
    assert not plan_of("secrets", "quick", {}, ON_AWS | layer).skipped


def test_a_dry_run_on_aws_estimates_the_bill_and_asks_nobody() -> None:
    words = ["--endpoint", "aws", "--role", ON_AWS["role"][0], "--dry-run"]
    result = sectax(
        "run", "secrets", *words, AWS_CONFIG_FILE="/dev/null", AWS_ACCESS_KEY_ID="", AWS_EC2_METADATA_DISABLED="1"
    )

    assert result.status == 0, result.err
    found = dict(
        re.findall(r"^(Lambda requests|Secrets Manager requests|Secrets Manager secrets): ([\d.,]+)", result.out, re.M)
    )
    assert float(found["Secrets Manager secrets"]) == pytest.approx(333 / 730, rel=0.02)
    assert int(found["Secrets Manager requests"].replace(",", "")) > 10_000
    assert "estimated bill: about" in result.out
    assert "moto" not in result.out


def test_the_library_is_skipped_in_go_with_the_reason() -> None:
    the_plan = plan_of("secrets", "default", {"language": ("go",)}, ON_AWS)

    assert {treatment.reason for treatment in the_plan.skipped if treatment.levels["access"] == "library"} == {
        "of AWS's caching library only the one for Python is measured"
    }


def test_what_the_study_has_not_is_not_in_the_published_plan() -> None:
    the_plan = plan_of("secrets", "published", {}, ON_AWS)
    cells = {(treatment.levels["situation"], treatment.levels["access"]) for treatment in the_plan.treatments}

    assert ("hit", "direct-new") not in cells
    assert {("hit", "dictionary"), ("miss", "direct-new")} <= cells
    assert {f"study_{name}" for name in levels.STUDY} <= {metric.name for metric in the_plan.metrics}


def test_a_delay_is_declared_and_no_shorter_way_confirms_it() -> None:
    the_plan = plan_of("secrets", "quick", {}, {"backend-delay": ("40ms",)})

    assert {treatment.declares["backend_delay"] for treatment in the_plan.treatments} == {delay_in_words(0.04, 0.041)}
    assert delay_in_words(0.04, 0.039) != delay_in_words(0.04, 0.041)


class TestWithRealParts:
    pytestmark = real

    @pytest.mark.parametrize("situation", levels.SITUATIONS)
    @pytest.mark.parametrize(("access", "language"), WAYS)
    def test_every_way_asks_the_service_as_often_as_its_label_says(
        self, access: str, language: str, situation: str, bench: Any
    ) -> None:
        subject = spec(bench, access, situation, language).subject()
        try:
            witnesses = subject.open()
            visit = subject.visit(Work(count=4, settle=2))
            told = subject.close()
        finally:
            subject.kill()

        calls = levels.ACCESS[access].calls[situation]
        assert told == {"backend_calls": f"{calls} for each access"}
        seen = [observation for observation in visit.observations if observation.metric == "access"]
        batched = levels.ACCESS[access].batched and situation == "hit"
        assert [item.count for item in seen] == ([4] if batched else [1] * 4)
        assert all(0 < item.value < 60 for item in seen)
        assert visit.telemetry["backend_calls"] == 6 * calls
        assert witnesses["timed"] == ("in batches" if batched else "one by one")
        first = ["first", "first.init", "first.duration", "first.access"]
        assert [observation.metric for observation in subject.first] == first + ["first.sidecar_init"] * (
            "sidecar" in access
        )
        parts = {
            observation.metric: observation.value
            for observation in visit.observations
            if observation.metric in levels.PARTS
        }
        assert sum(parts.values()) <= sum(item.value for item in seen)
        # A secret that is not in a cache is fetched over a new connection; the sidecar's own is inside its answer.
        direct = not levels.ACCESS[access].sidecar
        assert ("handshake" in parts) == (direct and (situation != "hit" or access == "direct-new"))
        assert ("backend" in parts) == (situation != "hit" or not batched)

    @pytest.mark.parametrize("situation", ["miss", "refresh"])
    @pytest.mark.parametrize("fault", ["close", "garbage", "400", "denied"])
    @pytest.mark.parametrize(
        ("access", "language"), [("sidecar", "python"), ("direct", "python"), ("library", "python"), ("direct", "go")]
    )
    def test_a_backend_that_fails_gives_a_failure_and_no_fast_reading(
        self, access: str, language: str, fault: str, situation: str, bench: Any
    ) -> None:
        # A cache could answer a refresh with what it has.
        with opened(bench, access, situation, language) as subject:
            subject.visit(Work(count=1))
            bench.keeper.fail(fault, 1)
            with pytest.raises(SubjectFailed):
                subject.visit(Work(count=1))

    def test_a_slow_answer_is_a_slow_access_that_is_asked_for_once(self, bench: Any) -> None:
        with opened(bench, "direct", "miss") as subject:
            bench.keeper.fail("slow", 1)
            visit = subject.visit(Work(count=1))

        assert [observation.value > 5 for observation in visit.observations if observation.metric == "access"] == [True]
        assert [observation.value > 5 for observation in visit.observations if observation.metric == "backend"] == [
            True
        ]
        assert visit.telemetry["backend_calls"] == 1

    def test_an_agent_that_was_killed_gives_a_failure(self, bench: Any) -> None:
        before = agents(os.getpid())
        with opened(bench, "sidecar", "hit") as subject:
            (agent,) = agents(os.getpid()) - before
            os.kill(agent, signal.SIGKILL)
            with pytest.raises(SubjectFailed):
                subject.visit(Work(count=1))

    def test_an_answer_with_another_secret_is_no_reading(self, bench: Any) -> None:
        with opened(bench, "direct", "hit") as subject:
            bench.keeper._marker, kept = "f" * 16, bench.keeper._marker
            try:
                with pytest.raises(SubjectFailed, match="proves another secret"):
                    subject.visit(Work(count=1))
            finally:
                bench.keeper._marker = kept

    def test_the_agent_refuses_who_has_no_token_and_is_reached_by_its_own_function_alone(
        self, bench: Any, tmp_path: Path
    ) -> None:
        name = bench.keeper.often(32).name
        with deployed(bench, tmp_path, sidecar=True) as asks, deployed(bench, tmp_path, sidecar=False) as neighbour:
            assert asks(name, {}) == [403, False]
            assert asks(name, {"X-Aws-Parameters-Secrets-Token": "guessed"}) == [403, False]
            assert asks(name, {"X-Forwarded-For": "1.2.3.4"}, token=True) == [400, False]
            assert asks(name, {}, token=True) == [200, True]
            assert neighbour(name, {}) == ["ConnectionRefusedError", False]
            with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", 2773), timeout=5):
                pass

    def test_a_secret_is_nowhere_but_in_the_memory_of_who_asked(self, bench: Any, tmp_path: Path) -> None:
        marker = bench.keeper._marker.encode()
        with contextlib.ExitStack() as stack:
            for access in ("dictionary", "sidecar", "direct-new"):
                subject = stack.enter_context(opened(bench, access, "hit"))
                assert subject.visit(Work(count=2)).observations
            found = [path for path in exposed() if marker in read(path)]
            # The search itself finds what there is to be found.
            environment = {"SHOWN": marker.decode()}
            shown = stack.enter_context(subprocess.Popen(["sleep", "60"], env=environment))
            file = stack.enter_context(tempfile.NamedTemporaryFile(prefix="sectax-"))
            file.write(marker)
            file.flush()
            control = {path for path in exposed() if marker in read(path)}
            shown.kill()

        assert found == []
        assert control == {Path(f"/proc/{shown.pid}/environ"), Path(file.name)}


def agents(of: int) -> set[int]:
    """The processes of AWS's agent that a process has begun, it or what it has begun: other tests have theirs."""
    found = set()
    for path in glob.glob("/proc/[0-9]*/comm"):
        with contextlib.suppress(OSError):
            pid = int(path.split("/")[2])
            if Path(path).read_text().startswith("aws_secretsmana") and of in ancestors(pid):
                found.add(pid)
    return found


def ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        yield pid


def exposed() -> Iterator[Path]:
    """Command lines and environments of all processes, what lies in temporary and state folders, logs."""
    for kind in ("cmdline", "environ"):
        yield from map(Path, glob.glob(f"/proc/[0-9]*/{kind}"))
    for folder in ("/tmp/sectax*", "/dev/shm", "/run/sectax*", os.path.expanduser("~/.local/state/sectax")):
        for place in glob.glob(folder):
            yield Path(place)
            # What ends meanwhile takes its files along.
            yield from (Path(at, name) for at, _, names in os.walk(place) for name in names)
    for root in glob.glob("/proc/[0-9]*/root/tmp"):  # of every instance too
        with contextlib.suppress(OSError):
            if not os.path.samefile(root, "/tmp"):
                yield from (Path(at, name) for at, _, names in os.walk(root) for name in names)


def read(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""  # opening a pipe would wait for its other end
    except OSError:
        return b""


_ASKS = """
import json, urllib.error, urllib.request

def handler(event, context):
    headers = dict(event["headers"])
    if event["token"]:
        headers["X-Aws-Parameters-Secrets-Token"] = open("/tmp/secrets-agent.token").read()
    address = "http://127.0.0.1:2773/secretsmanager/get?secretId=" + event["name"]
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as answer:
            return [answer.status, "SecretString" in json.loads(answer.read())]
    except urllib.error.HTTPError as error:
        return [error.code, b"SecretString" in error.read()]
    except urllib.error.URLError as error:
        return [type(error.reason).__name__, False]
"""


@contextlib.contextmanager
def deployed(bench: Any, folder: Path, *, sidecar: bool) -> Iterator[Any]:
    """A function of somebody else's that asks the agent at its own localhost."""
    from sectax.experiments.on_lambda.deployment import Deployment

    code = folder / f"asks-{sidecar}"
    code.mkdir()
    (code / "f.py").write_text(_ASKS)
    assert read_code(str(code))
    layers_ = bench._place.layers(None, sidecar=sidecar)
    variables = spec(bench, "sidecar", "hit").environment
    function = Deployment(
        FunctionSpec(
            "asks", str(code), PYTHON, "f.handler", 512, environment=variables, layers=layers_, service=bench.service
        )
    )
    function.create()

    def ask(name: str, headers: dict[str, str], *, token: bool = False) -> Any:
        event = {"name": name, "headers": headers, "token": token}
        return json.loads(function.invoke(json.dumps(event).encode())[1])

    try:
        yield ask
    finally:
        function.abandon()
