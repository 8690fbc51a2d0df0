"""What unmodified clients are answered: functions and layers, and every refusal by its own exception."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from tests.lambda_local.serving import PYTHON, archive, create

EMPTY = "def handler(event, context):\n    return None\n"


def endpoint(lambda_: Any) -> str:
    return str(lambda_.meta.endpoint_url)


def test_a_function_is_created_found_listed_changed_and_deleted(lambda_):
    configuration = create(lambda_, "life", EMPTY, Environment={"Variables": {"COLOUR": "red"}}, Description="first")
    found = lambda_.get_function(FunctionName="life")["Configuration"]
    by_arn = lambda_.get_function_configuration(FunctionName=found["FunctionArn"])
    listed = [function["FunctionName"] for function in lambda_.list_functions()["Functions"]]
    changed = lambda_.update_function_configuration(FunctionName="life", MemorySize=1769, Timeout=7)
    lambda_.delete_function(FunctionName="life")

    assert configuration["FunctionArn"] == "arn:aws:lambda:us-east-1:000000000000:function:life"
    assert found["Environment"] == {"Variables": {"COLOUR": "red"}}
    assert (found["Runtime"], found["Handler"], found["State"]) == (PYTHON, "f.handler", "Active")
    assert by_arn["LastModified"] == found["LastModified"]
    assert "life" in listed
    assert (changed["MemorySize"], changed["Timeout"], changed["Description"]) == (1769, 7, "first")
    with pytest.raises(lambda_.exceptions.ResourceNotFoundException, match="function:life"):
        lambda_.get_function(FunctionName="life")


def test_layers_are_published_with_growing_versions_and_belong_to_functions(lambda_):
    content = {"ZipFile": archive({"python/lib.py": "x = 1"})}

    first = lambda_.publish_layer_version(LayerName="shared", Content=content)
    second = lambda_.publish_layer_version(LayerName="shared", Content=content)
    create(lambda_, "layered", EMPTY, Layers=[second["LayerVersionArn"]])

    assert (first["Version"], second["Version"]) == (1, 2)
    layers = lambda_.get_function_configuration(FunctionName="layered")["Layers"]
    assert [layer["Arn"] for layer in layers] == ["arn:aws:lambda:us-east-1:000000000000:layer:shared:2"]


def test_actions_that_are_not_here_are_refused(lambda_):
    with pytest.raises(ClientError, match="GET /2015-03-31/event-source-mappings") as refused:
        lambda_.list_event_source_mappings()
    status, document = call(lambda_, "GET", "/2015-03-31/something")

    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501
    assert status == 501
    assert document["message"].endswith(" GET /2015-03-31/something")


def call(lambda_: Any, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, Any]]:
    address = urlsplit(endpoint(lambda_))
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    connection.request(method, path, body, {"Authorization": "AWS4-HMAC-SHA256 x"} | headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text) if text else {}


def test_a_layer_stands_once_in_a_function(lambda_):
    content = {"ZipFile": archive({"python/lib.py": "x = 1"})}
    arns = [lambda_.publish_layer_version(LayerName="once", Content=content)["LayerVersionArn"] for _ in range(2)]

    for layers in (arns, [arns[0]] * 2):
        with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="Two different versions"):
            create(lambda_, "doubly", EMPTY, Layers=layers)


@pytest.mark.parametrize("name", ["%ff%fe", "a%00b", "a%0d%0ab"])
def test_names_that_are_no_text_are_refused(lambda_, name):
    assert call(lambda_, "POST", f"/2015-03-31/functions/{name}/invocations", b"{}")[0] == 400


@pytest.mark.parametrize("path", ["/2015-03-31/functions", "/2015-03-31/functions/shallow/invocations"])
def test_deep_documents_are_refused(lambda_, path):
    if "shallow" in path:
        create(lambda_, "shallow", EMPTY)

    deep = 600_000  # Python 3.14 takes 100,000
    for body in (b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep):
        status, document = call(lambda_, "POST", path, body)
        assert (status, document["Type"]) == (400, "User")


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"FunctionName": 7}', b"\xff\xfe", b'{"FunctionName": "x"}', b""])
def test_bodies_of_another_form_are_refused(lambda_, body):
    status, document = call(lambda_, "POST", "/2015-03-31/functions", body)

    assert status == 400
    assert document["message"]


def test_code_and_layers_together_have_a_limit(lambda_, monkeypatch):
    monkeypatch.setattr("lambda_local.api.functions.UNPACKED_BYTES", 1000)
    content = {"ZipFile": archive({"x": "x" * 900})}
    layers = [lambda_.publish_layer_version(LayerName=name, Content=content) for name in ("heavy", "as-heavy")]
    create(lambda_, "light", EMPTY)

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="combined with layers exceeds"):
        lambda_.update_function_configuration(
            FunctionName="light", Layers=[layer["LayerVersionArn"] for layer in layers]
        )


def test_twenty_mib_of_zeros_are_no_bomb(lambda_):
    configuration = create(lambda_, "zeros", "", Code={"ZipFile": archive({"f.py": EMPTY, "zeros": bytes(20 * 2**20)})})

    assert configuration["CodeSize"] < 100_000
