"""What unmodified clients are answered: functions and layers, and every refusal by its own exception."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from tests.lambda_local.serving import PYTHON, archive, client, create

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


def test_the_hash_of_the_code_is_that_of_the_archive(lambda_):
    packed = archive({"f.py": EMPTY})

    configuration = create(lambda_, "hashed", EMPTY, Code={"ZipFile": packed})
    changed = lambda_.update_function_code(FunctionName="hashed", ZipFile=archive({"f.py": EMPTY + "#"}))

    assert configuration["CodeSha256"] == base64.b64encode(hashlib.sha256(packed).digest()).decode()
    assert configuration["CodeSize"] == len(packed)
    assert changed["CodeSha256"] != configuration["CodeSha256"]


def test_clients_that_wait_for_a_function_find_it_ready(lambda_):
    create(lambda_, "ready", EMPTY)

    lambda_.get_waiter("function_active_v2").wait(FunctionName="ready")
    lambda_.get_waiter("function_updated_v2").wait(FunctionName="ready")

    assert lambda_.get_function(FunctionName="ready")["Configuration"]["LastUpdateStatus"] == "Successful"


def test_layers_are_published_with_growing_versions_and_belong_to_functions(lambda_):
    content = {"ZipFile": archive({"python/lib.py": "x = 1"})}

    first = lambda_.publish_layer_version(LayerName="shared", Content=content)
    second = lambda_.publish_layer_version(LayerName="shared", Content=content)
    create(lambda_, "layered", EMPTY, Layers=[second["LayerVersionArn"]])

    assert (first["Version"], second["Version"]) == (1, 2)
    layers = lambda_.get_function_configuration(FunctionName="layered")["Layers"]
    assert [layer["Arn"] for layer in layers] == ["arn:aws:lambda:us-east-1:000000000000:layer:shared:2"]


def test_what_is_there_already_is_a_conflict(lambda_):
    create(lambda_, "twice", EMPTY)

    with pytest.raises(lambda_.exceptions.ResourceConflictException, match="already exist: twice"):
        create(lambda_, "twice", EMPTY)


@pytest.mark.parametrize("operation", ["get_function", "delete_function", "invoke", "update_function_configuration"])
def test_what_is_not_there_is_not_found(lambda_, operation):
    with pytest.raises(lambda_.exceptions.ResourceNotFoundException, match="Function not found"):
        getattr(lambda_, operation)(FunctionName="nowhere")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"MemorySize": 127}, ">= 128 .*MemorySize"),
        ({"MemorySize": 10_241}, "<= 10240 .*MemorySize"),
        ({"Timeout": 901}, "<= 900 .*Timeout"),
        ({"EphemeralStorage": {"Size": 12}}, ">= 512 .*EphemeralStorage.Size"),
        ({"Runtime": "nodejs4.x"}, "nodejs4.x is not here, because"),
        ({"Runtime": "python3.4"}, "python3.4 is not here, because there is no python3.4"),
        ({"Runtime": "java21"}, "java21 is not here, because only python3.x, nodejs"),
        ({"Architectures": ["s390x"]}, "not here, because this machine is"),
        ({"Environment": {"Variables": {"AWS_REGION": "eu"}}}, "reserved keys.*AWS_REGION"),
        ({"Environment": {"Variables": {"BIG": "x" * 4096}}}, "4KB limit"),
        ({"Environment": {"Variables": {"1st": "x"}}}, "Environment.Variables"),
        ({"Layers": ["arn:aws:lambda:us-east-1:000000000000:layer:none:1"]}, "does not exist"),
        ({"Code": {"ZipFile": b"no zip"}}, "Could not unzip"),
        ({"Description": "x" * 257}, "Description"),
        ({"FunctionName": "no/slash"}, "functionName"),
        ({"Role": "foo"}, "Role"),
        ({"Role": "arn:aws:iam::000000000000:role/x\r\ny"}, "Role"),
        ({"Handler": "f.hand\0ler"}, "Handler"),
        ({"Code": {"ZipFile": archive({})}}, "non-empty zip"),
        ({"Code": {"ZipFile": b""}}, "unzip"),
        (
            {"Runtime": "provided.al2023", "Environment": {"Variables": {"AWS_LAMBDA_EXEC_WRAPPER": "/opt/w"}}},
            "AWS_LAMBDA_EXEC_WRAPPER has no effect",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_values_that_cannot_be_are_refused_in_words(lambda_, wrong, said):
    unchecked = client(endpoint(lambda_), parameter_validation=False)  # boto3 would refuse some itself

    with pytest.raises(unchecked.exceptions.InvalidParameterValueException, match=said):
        create(unchecked, "wrong", EMPTY, **wrong)
    assert "wrong" not in [function["FunctionName"] for function in lambda_.list_functions()["Functions"]]


def test_actions_that_are_not_here_are_refused(lambda_):
    with pytest.raises(ClientError, match="does not have GET /2015-03-31/event-source-mappings") as refused:
        lambda_.list_event_source_mappings()
    status, said = call(lambda_, "GET", "/2015-03-31/something")

    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501
    assert (status, said["message"]) == (501, "the local Lambda does not have GET /2015-03-31/something")


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


def test_functions_of_other_accounts_and_regions_are_not_found(lambda_):
    create(lambda_, "ours", EMPTY)

    for place in ("arn:aws:lambda:us-east-1:111111111111", "111111111111", "arn:aws:lambda:eu-west-1:000000000000"):
        with pytest.raises(lambda_.exceptions.ResourceNotFoundException):
            lambda_.get_function(FunctionName=f"{place}:function:ours")


@pytest.mark.parametrize("name", ["%ff%fe", "a%00b", "a%0d%0ab"])
def test_names_that_are_no_text_are_refused(lambda_, name):
    assert call(lambda_, "POST", f"/2015-03-31/functions/{name}/invocations", b"{}")[0] == 400


@pytest.mark.parametrize("path", ["/2015-03-31/functions", "/2015-03-31/functions/shallow/invocations"])
def test_deep_documents_are_refused(lambda_, path):
    if "shallow" in path:
        create(lambda_, "shallow", EMPTY)

    deep = 600_000  # Python 3.14 takes 100,000
    for body in (b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep):
        status, said = call(lambda_, "POST", path, body)
        assert (status, said["Type"]) == (400, "User")


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"FunctionName": 7}', b"\xff\xfe", b'{"FunctionName": "x"}', b""])
def test_bodies_of_another_form_are_refused(lambda_, body):
    status, said = call(lambda_, "POST", "/2015-03-31/functions", body)

    assert status == 400
    assert said["message"]


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
