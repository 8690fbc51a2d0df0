"""The experiment secrets with its real parts: the function in the local Lambda, AWS's agent, moto behind TLS."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sectax.experiments.on_lambda.deployment import Deployment
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.experiments.secrets import backend, levels
from sectax.experiments.secrets.experiment import EXPERIMENT
from sectax.experiments.secrets.subject import SecretSpec, delay_in_words
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.on_lambda.functions import PYTHON, needs_sandbox
from tests.experiments.plans import ON_AWS, planner
from tests.experiments.subjects import subject_of, values
from tests.fakes import faulty_stand_in
from tests.fakes.faulty_stand_in import fail
from tests.machines import plan_of
from tests.needs import needs
from tests.program import sectax

MEMORY = "1769"
WAYS = [(access, language) for access, way in levels.ACCESS.items() for language in way.languages]
real = [needs_sandbox, needs("moto"), needs("the agent of Secrets Manager"), pytest.mark.more]


plan = planner("secrets")


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    every = {"situation": levels.SITUATIONS, "language": levels.LANGUAGES, "memory": (MEMORY,)}
    with pytest.MonkeyPatch.context() as patched, EXPERIMENT.bench(plan_of("secrets", "default", every)) as opened:
        patched.setattr(backend, "_SERVER", faulty_stand_in.__file__)
        opened.start({})
        yield opened


def spec(bench: Any, access: str, situation: str, language: str = levels.PYTHON) -> SecretSpec:
    wanted = {"access": access, "situation": situation, "memory": MEMORY, "language": language}
    treatment = next(treatment for treatment in bench.plan.treatments if wanted.items() <= treatment.levels.items())
    made: SecretSpec = bench.spec(treatment, {}, None)
    return made


@contextlib.contextmanager
def opened(bench: Any, access: str, situation: str, language: str = levels.PYTHON) -> Iterator[Any]:
    with subject_of(spec(bench, access, situation, language)) as subject:
        subject.open()
        yield subject


def test_every_figure_declares_how_often_the_service_is_asked() -> None:
    declared = {
        (treatment.levels["access"], treatment.levels["situation"]): treatment.declares["backend_calls"]
        for treatment in plan().treatments
    }

    assert declared["sidecar", "hit"] == "0 for each access"
    assert declared["library", "miss"] == "2 for each access"
    assert declared["direct", "hit"] == "1 for each access"


def test_the_stand_in_is_named_in_every_plan_that_is_not_on_aws() -> None:
    for preset in EXPERIMENT.presets:
        local, aws = plan(preset), plan(preset, ON_AWS)
        assert "moto" in local.transfers
        assert any("moto" in choice for choice in local.choices)
        assert not any("moto" in text for text in (aws.transfers, *aws.choices))


def test_on_aws_the_sidecar_needs_its_layer_and_no_call_is_promised() -> None:
    without, layer = plan("quick", ON_AWS), {"layer": ("arn:aws:lambda:us-east-1:123456789012:layer:extension:11",)}

    assert {skipped.levels["access"] for skipped in without.skipped} == {"sidecar"}
    assert "--layer" in without.skipped[0].hint
    assert not any("backend_calls" in treatment.declares for treatment in without.treatments)
    assert not plan("quick", ON_AWS | layer).skipped


def test_a_dry_run_on_aws_estimates_the_bill_without_calls() -> None:
    words = ["--endpoint", "aws", "--role", ON_AWS["role"][0], "--dry-run", "--json"]
    nobody = {"AWS_CONFIG_FILE": "/dev/null", "AWS_ACCESS_KEY_ID": "", "AWS_EC2_METADATA_DISABLED": "1"}
    result = sectax("run", "secrets", *words, **nobody)

    assert result.status == 0, result.err
    bill = json.loads(result.out)["bill"]
    *_, requests, secret_months = (charge["amount"] for charge in bill["charges"])
    assert requests > 10_000
    assert secret_months == pytest.approx(333 / 730, rel=0.02)
    assert bill["total"] > 0


def test_a_delay_is_declared_and_no_shorter_way_confirms_it() -> None:
    treatments = plan("quick", {"backend-delay": ("40ms",)}).treatments

    assert {treatment.declares["backend_delay"] for treatment in treatments} == {delay_in_words(0.04, 0.041)}
    assert delay_in_words(0.04, 0.039) != delay_in_words(0.04, 0.041)


class TestWithRealParts:
    pytestmark = real

    @pytest.mark.parametrize("situation", levels.SITUATIONS)
    @pytest.mark.parametrize(("access", "language"), WAYS)
    def test_every_way_asks_the_service_as_often_as_its_label_says(
        self, access: str, language: str, situation: str, bench: Any
    ) -> None:
        with subject_of(spec(bench, access, situation, language)) as subject:
            witnesses = subject.open()
            visit = subject.visit(Work(count=4, settle=2))
            closed = subject.close()

        calls = levels.ACCESS[access].calls[situation]
        assert closed == {"backend_calls": f"{calls} for each access"}
        batched = levels.ACCESS[access].batched and situation == "hit"
        counts = [observation.count for observation in visit.observations if observation.metric == "access"]
        assert counts == ([4] if batched else [1] * 4)
        assert all(0 < access_s < 60 for access_s in values(visit.observations, "access"))
        assert visit.telemetry["backend_calls"] == 6 * calls
        assert witnesses["timed"] == ("in batches" if batched else "one by one")
        first = ["first", "first.init", "first.duration", "first.access"]
        first += ["first.sidecar_init"] * ("sidecar" in access)
        assert [observation.metric for observation in subject.first] == first
        parts = {one.metric: one.value for one in visit.observations if one.metric in levels.PARTS}
        assert sum(parts.values()) <= visit.summed_s("access")
        # A secret that is not in a cache is fetched over a new connection; the sidecar's own is inside its answer.
        direct = not levels.ACCESS[access].sidecar
        if language != "go" or situation != "hit" or access != "direct":  # Go drops a kept connection when throttled
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
            fail(bench.store, fault, 1)
            with pytest.raises(SubjectFailed):
                subject.visit(Work(count=1))

    def test_a_slow_answer_is_a_slow_access_that_is_asked_for_once(self, bench: Any) -> None:
        with opened(bench, "direct", "miss") as subject:
            fail(bench.store, "slow", 1)
            visit = subject.visit(Work(count=1))

        for metric in ("access", "backend"):
            assert [seconds > 5 for seconds in values(visit.observations, metric)] == [True]
        assert visit.telemetry["backend_calls"] == 1

    def test_an_agent_that_was_killed_gives_a_failure(self, bench: Any) -> None:
        before = agents(os.getpid())
        with opened(bench, "sidecar", "hit") as subject:
            (agent,) = agents(os.getpid()) - before
            os.kill(agent, signal.SIGKILL)
            with pytest.raises(SubjectFailed):
                subject.visit(Work(count=1))

    def test_an_answer_with_another_secret_is_no_reading(self, bench: Any, monkeypatch: Any) -> None:
        with opened(bench, "direct", "hit") as subject:
            monkeypatch.setattr(bench.store, "_marker", "f" * 16)
            with pytest.raises(SubjectFailed, match="another secret"):
                subject.visit(Work(count=1))

    def test_the_agent_refuses_who_has_no_token_and_is_reached_by_its_own_function_alone(
        self, bench: Any, tmp_path: Path
    ) -> None:
        name = bench.store.cached(32).name
        with deployed(bench, tmp_path, sidecar=True) as asks, deployed(bench, tmp_path, sidecar=False) as neighbour:
            assert asks(name, {}) == [403, False]
            assert asks(name, {"X-Aws-Parameters-Secrets-Token": "guessed"}) == [403, False]
            assert asks(name, {"X-Forwarded-For": "1.2.3.4"}, token=True) == [400, False]
            assert asks(name, {}, token=True) == [200, True]
            assert neighbour(name, {}) == ["ConnectionRefusedError", False]
            with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", 2773), timeout=5):
                pass

    def test_a_secret_is_nowhere_but_in_the_memory_of_who_asked(self, bench: Any, tmp_path: Path) -> None:
        marker = bench.store._marker.encode()
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
    code = folder / f"asks-{sidecar}"
    code.mkdir()
    (code / "f.py").write_text(_ASKS)
    more = {"environment": spec(bench, "sidecar", "hit").environment, "service": bench.service}
    more["layers"] = bench._services.layers(None, sidecar=sidecar)
    function = Deployment(FunctionSpec("asks", str(code), PYTHON, "f.handler", 512, **more))
    function.create()

    def ask(name: str, headers: dict[str, str], *, token: bool = False) -> Any:
        event = {"name": name, "headers": headers, "token": token}
        return json.loads(function.invoke(json.dumps(event).encode())[1])

    try:
        yield ask
    finally:
        function.abandon()
