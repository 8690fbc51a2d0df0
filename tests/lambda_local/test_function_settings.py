"""What is set for a function: stored and shown, or refused, and never dropped."""

from __future__ import annotations

import threading

import pytest

from lambda_local import service
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.concurrency import Concurrency
from sectax.toolchain.machine import architecture
from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.serving import PYTHON, ROLE, archive, client, create, invoke, served
from tests.lambda_local.test_invoke import WAITS, eventually

EMPTY = "def handler(event, context):\n    return None\n"


def test_tags_are_kept_changed_and_shown(lambda_):
    arn = create(lambda_, "tagged", EMPTY, Tags={"team": "red", "cost": "1"})["FunctionArn"]

    lambda_.tag_resource(Resource=arn, Tags={"cost": "2", "new": "yes"})
    lambda_.untag_resource(Resource=arn, TagKeys=["team", "never"])

    assert lambda_.list_tags(Resource=arn)["Tags"] == {"cost": "2", "new": "yes"}
    assert lambda_.get_function(FunctionName="tagged")["Tags"] == {"cost": "2", "new": "yes"}
    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="aliases and versions"):
        lambda_.tag_resource(Resource=f"{arn}:1", Tags={"a": "b"})
    with pytest.raises(lambda_.exceptions.ResourceNotFoundException):
        lambda_.list_tags(Resource=arn + "-not")


def test_tracing_and_the_log_group_are_kept_and_shown(lambda_):
    source = "import os\ndef handler(event, context):\n    return os.environ['AWS_LAMBDA_LOG_GROUP_NAME']\n"
    made = create(
        lambda_,
        "kept",
        source,
        TracingConfig={"Mode": "Active"},
        LoggingConfig={"LogFormat": "Text", "LogGroup": "mine"},
        VpcConfig={"SubnetIds": [], "SecurityGroupIds": []},
        DeadLetterConfig={"TargetArn": ""},
    )

    assert made["TracingConfig"] == {"Mode": "Active"}
    assert made["LoggingConfig"] == {"LogFormat": "Text", "LogGroup": "mine"}
    assert invoke(lambda_, "kept").value == "mine"
    changed = lambda_.update_function_configuration(FunctionName="kept", TracingConfig={"Mode": "PassThrough"})
    assert changed["TracingConfig"] == {"Mode": "PassThrough"}


@pytest.mark.parametrize(
    "wanted",
    [
        {"VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}},
        {"DeadLetterConfig": {"TargetArn": "arn:aws:sqs:us-east-1:000000000000:queue"}},
        {"FileSystemConfigs": [{"Arn": "arn:aws:elasticfilesystem:x", "LocalMountPath": "/mnt/x"}]},
        {"KMSKeyArn": "arn:aws:kms:us-east-1:000000000000:key/1"},
        {"SnapStart": {"ApplyOn": "PublishedVersions"}},
        {"LoggingConfig": {"LogFormat": "JSON"}},
        {"ImageConfig": {"Command": ["x"]}},
    ],
    ids=lambda wanted: next(iter(wanted)),
)
def test_what_cannot_be_done_here_is_refused_by_its_name(lambda_, wanted):
    unchecked = client(str(lambda_.meta.endpoint_url), parameter_validation=False)

    with pytest.raises(unchecked.exceptions.InvalidParameterValueException, match="is not here"):
        create(unchecked, "refused", EMPTY, **wanted)
    assert "refused" not in [each["FunctionName"] for each in lambda_.list_functions()["Functions"]]


@pytest.mark.parametrize(
    ("action", "wanted", "words"),
    [
        ("create_function", {"PublishTo": "LATEST_PUBLISHED"}, "PublishTo is not here"),
        ("create_function", {"S3Bucket": "bucket", "S3Key": "key"}, "S3 and container images are not here"),
        ("update_function_code", {"PublishTo": "LATEST_PUBLISHED"}, "PublishTo is not here"),
        ("update_function_code", {"S3Bucket": "bucket", "S3Key": "key"}, "S3 and container images are not here"),
        ("update_function_code", {"SourceKMSKeyArn": "arn:aws:kms:us-east-1:000000000000:key/1"}, "SourceKMSKeyArn is"),
        ("publish_layer_version", {"S3Bucket": "bucket", "S3Key": "key"}, "S3 and container images are not here"),
        ("publish_version", {"PublishTo": "LATEST_PUBLISHED"}, "PublishTo is not here"),
        ("invoke", {"TenantId": "ann"}, "TenantId is not here"),
        ("invoke", {"DurableExecutionName": "one"}, "DurableExecutionName is not here"),
    ],
)
def test_what_is_asked_for_beside_what_can_be_done_is_refused_and_not_dropped(lambda_, action, wanted, words):
    zipped = archive({"f.py": EMPTY})
    name = f"beside-{action}-{next(iter(wanted))}"
    if action == "create_function":
        location = {"ZipFile": zipped} | {key: value for key, value in wanted.items() if key.startswith("S3")}
        given = {"Runtime": PYTHON, "Handler": "f.handler", "Role": ROLE, **wanted, "Code": location}
        given = {key: value for key, value in given.items() if not key.startswith("S3")}
    elif action == "publish_layer_version":
        given = {"Content": {"ZipFile": zipped} | wanted, "LayerName": name}
    else:
        given = ({"ZipFile": zipped} if action == "update_function_code" else {}) | wanted
        create(lambda_, name, EMPTY)
    if action != "publish_layer_version":
        given["FunctionName"] = name

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match=words):
        getattr(lambda_, action)(**given)


def test_lists_are_of_what_is_asked_for(lambda_):
    content = {"ZipFile": archive({"python/lib.py": ""})}
    lambda_.publish_layer_version(LayerName="listed", Content=content, CompatibleRuntimes=[PYTHON])
    own = architecture()
    other = "arm64" if own == "x86_64" else "x86_64"

    def found(**wanted: str) -> tuple[int, int]:
        layers = [each for each in lambda_.list_layers(**wanted)["Layers"] if each["LayerName"] == "listed"]
        return len(layers), len(lambda_.list_layer_versions(LayerName="listed", **wanted)["LayerVersions"])

    assert found() == found(CompatibleArchitecture=own) == found(CompatibleRuntime=PYTHON) == (1, 1)
    assert found(CompatibleArchitecture=other) == found(CompatibleRuntime="nodejs20.x") == (0, 0)
    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="MasterRegion is not here"):
        lambda_.list_functions(MasterRegion="us-east-1", FunctionVersion="ALL")


def test_reserved_concurrency_limits_one_function_and_is_kept_from_the_others(tmp_path):
    with served(PlainBox.create, instances=3) as endpoint:
        lambda_ = client(endpoint)
        for name in ("reserved", "other"):
            create(lambda_, name, WAITS)
        lambda_.put_function_concurrency(FunctionName="reserved", ReservedConcurrentExecutions=1)
        shown = lambda_.get_function(FunctionName="reserved")["Concurrency"]
        account = lambda_.get_account_settings()
        until = str(tmp_path / "until")
        calls = [
            threading.Thread(target=invoke, args=(lambda_, name, {"here": str(tmp_path / here), "until": until}))
            for name, here in (("reserved", "a"), ("other", "b"), ("other", "c"))
        ]
        for call in calls:
            call.start()
        assert eventually(lambda: all((tmp_path / name).exists() for name in "abc"))

        with pytest.raises(lambda_.exceptions.TooManyRequestsException) as of_the_function:
            invoke(lambda_, "reserved", {})
        with pytest.raises(lambda_.exceptions.TooManyRequestsException) as of_the_account:
            invoke(lambda_, "other", {})
        assert of_the_function.value.response["Reason"] == "ReservedFunctionConcurrentInvocationLimitExceeded"
        assert of_the_account.value.response["Reason"] == "ConcurrentInvocationLimitExceeded"
        (tmp_path / "until").touch()
        for call in calls:
            call.join(20)

        assert shown == {"ReservedConcurrentExecutions": 1}
        assert account["AccountLimit"]["ConcurrentExecutions"] == 3
        assert account["AccountLimit"]["UnreservedConcurrentExecutions"] == 2
        lambda_.put_function_concurrency(FunctionName="reserved", ReservedConcurrentExecutions=0)
        with pytest.raises(lambda_.exceptions.TooManyRequestsException):
            invoke(lambda_, "reserved", {})
        lambda_.delete_function_concurrency(FunctionName="reserved")
        assert "ReservedConcurrentExecutions" not in lambda_.get_function_concurrency(FunctionName="reserved")
        with pytest.raises(lambda_.exceptions.InvalidParameterValueException):
            lambda_.put_function_concurrency(FunctionName="other", ReservedConcurrentExecutions=4)


def test_deleted_functions_leave_no_counts_and_no_reservations(monkeypatch):
    made = []

    class Kept(Concurrency):
        def __init__(self, catalogue: Catalogue, instances: int) -> None:
            super().__init__(catalogue, instances)
            made.append((catalogue.registry, self._working))

    monkeypatch.setattr(service, "Concurrency", Kept)
    with served(PlainBox.create, instances=2) as endpoint:
        lambda_ = client(endpoint)
        for number in range(3):
            create(lambda_, f"short-{number}", EMPTY)
            lambda_.put_function_concurrency(FunctionName=f"short-{number}", ReservedConcurrentExecutions=1)
            assert invoke(lambda_, f"short-{number}").error is None
            lambda_.delete_function(FunctionName=f"short-{number}")
        left = lambda_.get_account_settings()["AccountLimit"]["UnreservedConcurrentExecutions"]

    ((registry, working),) = made
    assert dict(working) == {}
    assert registry.reserved == {}
    assert left == 2
