"""The environment is read strictly, and the key goes nowhere else."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import msgpack
import pytest

from hmac_authorizer.settings import TREATMENTS, ConfigurationError, read
from tests.invoke import KEY, invoke, signed

FOLDER = Path(__file__).parents[1]
GOOD = signed(base64.b64encode(msgpack.packb({"a": 1, "b": 2, "obj": b""})).decode())


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({}, "set one of SHARED_KEY and SHARED_KEY_FILE"),
        ({"SHARED_KEY": KEY, "SHARED_KEY_FILE": "x"}, "set one of"),
        ({"SHARED_KEY": ""}, "the shared key is empty"),
        ({"SHARED_KEY_FILE": "/nonesuch"}, "cannot be read: No such file"),
        ({"SHARED_KEY": KEY, "TREATMENT": "md5"}, "TREATMENT is none of none, immediate, hmac-sha512"),
        ({"SHARED_KEY": KEY, "TREATMENT": ""}, "TREATMENT is none of"),
        ({"SHARED_KEY": KEY, "ANATOMY": "yes"}, "ANATOMY is none of 0, 1"),
        ({"SHARED_KEY": KEY, "PAYLOAD": "raw"}, "PAYLOAD is none of unpack, opaque"),
        ({"SHARED_KEY": KEY, "PAYLOAD": "opaque", "TREATMENT": "hmac-sha512-expiry"}, "PAYLOAD=opaque forbids"),
    ],
)
def test_what_cannot_be_meant_stops_the_function_before_it_starts(environment: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says) as raised:
        read(environment)

    assert KEY not in str(raised.value)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_key_may_stand_in_a_file(end: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes((KEY + end).encode())
    environment = {"SHARED_KEY_FILE": str(tmp_path / "key")}

    assert read(environment).scheme.derive(b"salt") == read({"SHARED_KEY": KEY}).scheme.derive(b"salt")


def test_settings_shown_do_not_show_the_key() -> None:
    assert all(KEY not in repr(read({"SHARED_KEY": KEY, "TREATMENT": treatment})) for treatment in TREATMENTS)


def test_without_a_treatment_the_token_is_checked() -> None:
    assert invoke(GOOD)["isAuthorized"] is True
    assert invoke(GOOD | {"token": "0" * 128})["isAuthorized"] is False


@pytest.mark.parametrize("treatment", ["none", "immediate"])
def test_a_baseline_that_was_left_deployed_lets_nobody_in(treatment: str) -> None:
    assert invoke(GOOD, TREATMENT=treatment) == {"isAuthorized": False, "reason": "nothing was checked"}


def test_the_deployed_handler_reads_its_environment_and_says_nothing_on_its_own() -> None:
    code = (
        "import json, sys\n"
        "from hmac_authorizer.handler import lambda_handler\n"
        "print(json.dumps(lambda_handler(json.load(sys.stdin), None)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=FOLDER,
        env={"PATH": os.environ["PATH"], "SHARED_KEY": KEY},
        input=json.dumps(GOOD),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ('{"isAuthorized": true}\n', "")
