"""The functions are built into zips that run by themselves, the same bytes every time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sectax.experiments.hmac import events
from sectax.experiments.on_lambda import functions
from tests.needs import needs

KEY = "a key that only these tests know"
EVENT = events.signed("hmac-sha512", KEY.encode(), "salt", events.payload(b"binary"))
SPOILED = events.Event("tlas", EVENT.token, EVENT.data)
NOT_GENUINE = {"isAuthorized": False, "reason": "the token is not genuine"}
needs_go = needs("Go")


def as_json(event: events.Event) -> dict[str, str]:
    return {"key": event.key, "token": event.token, "data": event.data}


def unpacked(language: str, folder: Path) -> Path:
    with zipfile.ZipFile(functions.build("hmac_authorizer", language)) as archive:
        archive.extractall(folder)
    return folder


def test_the_python_zip_runs_with_nothing_but_itself(tmp_path):
    code = (
        "import json, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from hmac_authorizer.handler import lambda_handler\n"
        "import msgpack\n"
        "print(json.dumps([msgpack.__file__, *[lambda_handler(event, None) for event in json.load(sys.stdin)]]))\n"
    )
    folder = unpacked("python", tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(folder)],
        env={"SHARED_KEY": KEY},
        input=json.dumps([as_json(EVENT), as_json(SPOILED)]),
        capture_output=True,
        text=True,
    )

    assert done.stderr == ""
    assert json.loads(done.stdout) == [str(folder / "msgpack/__init__.py"), {"isAuthorized": True}, NOT_GENUINE]


@pytest.mark.more
@pytest.mark.parametrize("language", ["python", pytest.param("go", marks=needs_go)])
def test_the_same_sources_give_the_same_bytes(language, tmp_path, monkeypatch):
    digests = []
    for name in ("one", "other"):
        monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / name))
        built = functions.build("hmac_authorizer", language)
        digests.append((built.name, hashlib.sha256(built.read_bytes()).hexdigest()))
        assert sorted(os.listdir(built.parent)) == [built.name, f"{built.name}.sha256"]

    assert digests[0] == digests[1]


def test_the_zip_can_be_read_by_everyone_and_names_what_lambda_calls():
    function = functions.load("hmac_authorizer", "python")
    with zipfile.ZipFile(functions.build("hmac_authorizer", "python")) as archive:
        names = archive.namelist()
        modes = {entry.external_attr >> 16 for entry in archive.infolist()}

    assert function.handler == "hmac_authorizer.handler.lambda_handler"
    assert {"hmac_authorizer/handler.py", "msgpack/__init__.py"} <= set(names)
    assert modes == {0o100755}
    assert not [name for name in names if "test" in name or name.endswith(".pyc")]
