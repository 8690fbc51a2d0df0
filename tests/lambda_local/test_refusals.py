"""What the API refuses: a heading of golden/refusals.txt is an action and what it was given, below is the answer.

Invalid values are rejected with a reason; unsupported members are rejected by name, never dropped.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lambda_local.settings import architecture
from tests.golden import as_agreed, cases
from tests.lambda_local.archives import archive, zipped
from tests.lambda_local.serving import PYTHON, ROLE, client, create

EMPTY = "def handler(event, context):\n    return None\n"
CODE = {"ZipFile": archive({"f.py": EMPTY})}
CREATE = {"FunctionName": "wrong", "Runtime": PYTHON, "Handler": "f.handler", "Role": ROLE, "Code": CODE}
SOUND: dict[str, dict[str, Any]] = {"create_function": CREATE, "publish_layer_version": {}}
PAGE = Path(__file__).parent / "golden" / "refusals.txt"


def refusal(unchecked: Any, case: str) -> str:
    """The type and the words. `CODE` stands for a sound archive, `x*9` for so long a text; `there` is a function."""
    action, _, given = case.partition(" ")
    given = re.sub(r'"x\*(\d+)"', lambda long: f'"{"x" * int(long[1])}"', given)
    values = json.loads(given, object_hook=lambda member: CODE | member if member.pop("CODE", None) else member)
    with pytest.raises(unchecked.exceptions.ClientError) as refused:
        getattr(unchecked, action)(**SOUND.get(action, {"FunctionName": "there"}) | values)
    error = refused.value.response["Error"]
    return f"{error['Code']}: {error['Message']}"


def test_what_cannot_be_is_refused_as_agreed(lambda_: Any) -> None:
    unchecked = client(str(lambda_.meta.endpoint_url), parameter_validation=False)  # boto3 would refuse some itself
    create(lambda_, "there", EMPTY)

    answers = "".join(f"== {case}\n{refusal(unchecked, case)}\n" for case in cases(PAGE))

    as_agreed(PAGE, answers.replace(f"this machine is {architecture()}", "this machine is MACHINE"))
    assert [function["FunctionName"] for function in lambda_.list_functions()["Functions"]] == ["there"]


@pytest.mark.parametrize(
    ("runtime", "why"),
    [("nodejs4.x", ""), ("python3.4", "there is no python3.4"), ("java21", "only python3.x, nodejs")],
)
def test_a_runtime_that_this_machine_lacks_is_refused_with_the_reason(lambda_: Any, runtime: str, why: str) -> None:
    wanted = re.escape(f"{runtime} is not available here: {why}")

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match=wanted):
        create(lambda_, "elsewhere", EMPTY, Runtime=runtime)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no zip", "Could not unzip"),
        (b"", "Could not unzip"),
        (archive({}), "non-empty zip"),
        (zipped(("../evil", "x", 0)), "is outside its folder"),
    ],
    ids=["no zip", "nothing", "an empty zip", "a way out"],
)
def test_a_bad_archive_is_refused(lambda_: Any, content: bytes, words: str) -> None:
    unchecked = client(str(lambda_.meta.endpoint_url), parameter_validation=False)

    with pytest.raises(unchecked.exceptions.InvalidParameterValueException, match=words):
        create(unchecked, "broken", EMPTY, Code={"ZipFile": content})
