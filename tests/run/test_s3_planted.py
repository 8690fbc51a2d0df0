"""Clients and loads that are wrong on purpose, in whole runs on a real server: the audit finds them, and their clean
twin has nothing to be found. What is planted is far beyond what any load of the machine can do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sectax.experiments.interface import RunRequest
from sectax.experiments.s3 import bench
from sectax.model.finding import Severity
from sectax.model.plan import Stopping
from sectax.run.start import start
from tests.experiments.s3.servers import needs_server
from tests.experiments.s3.specs import PYTHON
from tests.fakes.watcher import Watcher
from tests.needs import needs

pytestmark = [needs_server, pytest.mark.more]

CHECKS = {"flat-with-size", "contained-work", "faster-than-physics", "saturated-client"}

UNREAD = """
def get(self, item):
    began = time.perf_counter_ns()
    answer = self.s3.get_object(Bucket=item.bucket, Key=item.key)
    took = time.perf_counter_ns() - began
    answer["Body"].close()
    return s3_client.Times(took, took, 0)
s3_client.Client.get = get
"""
# What it waits for before it asks stands in the time of the HEAD.
HEAD_TIMED_WRONG = """
head = s3_client.Client.head
s3_client.Client.head = lambda self, item: (time.sleep(0.1), head(self, item))[1]
"""


def lying(code: str) -> tuple[str, ...]:
    folder = str(Path(PYTHON[1]).parent)
    return (
        sys.executable,
        "-c",
        f"import sys, time; sys.path.insert(0, {folder!r}); import s3_client\n{code}\ns3_client.main()",
    )


@pytest.fixture
def accused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Runs GETs and HEADs, without encryption and with, and tells what of `CHECKS` the audit calls fatal."""
    monkeypatch.setenv("SECTAX_STATE", str(tmp_path / "state"))

    def run(code: str = "", link: str = "10Gbit/s", **more: str) -> set[tuple[str, str]]:
        if code:
            monkeypatch.setattr(bench, "_IN_PYTHON", lying(code))
        levels = {"client": "python", "operation": "get,head", "size": "10KB", "encryption": "none,sse-s3"}
        levels |= {"transfer": "plain"} | more
        asked = {name: tuple(text.split(",")) for name, text in levels.items()}
        request = RunRequest("quick", asked, Stopping(0.02, fixed_blocks=6), 1, {"link": (link,)})
        outcome = start("s3", request, tmp_path / "run.sectax", Watcher())
        assert outcome.trouble is None
        assert len(outcome.analysed.measured.blocks) == 6
        fatal = [warning for warning in outcome.analysed.warnings if warning.severity is Severity.FATAL]
        return {(warning.check, warning.subject.split("/")[2]) for warning in fatal if warning.check in CHECKS}

    return run


@pytest.mark.parametrize(
    ("planted", "check"),
    [
        ({"code": UNREAD, "size": "10KB,100MB"}, "flat-with-size"),
        # 1 MB takes 0.8 s over 10 Mbit/s.
        ({"link": "10Mbit/s", "size": "1MB"}, "faster-than-physics"),
        ({"load": "5000/s", "concurrency": "1"}, "saturated-client"),
    ],
    ids=["a body that is not read", "a link slower than what came over it", "a schedule for more than one connection"],
)
def test_what_is_planted_is_found(planted, check, accused):
    assert (check, "get") in accused(**planted, operation="get")


def test_a_client_that_times_head_wrong_is_found(accused):
    assert {check for check, _ in accused(HEAD_TIMED_WRONG)} == {"contained-work"}


@needs("the S3 client in Go")
def test_an_honest_client_is_accused_of_nothing(accused):
    assert accused(client="go", size="10KB,100MB", concurrency="2") == set()
