"""What is not here is refused by its name, and never dropped."""

from __future__ import annotations

import pytest

from tests.lambda_local.serving import PYTHON, ROLE, archive, client, create

EMPTY = "def handler(event, context):\n    return None\n"


def test_members_that_ask_for_nothing_are_no_hindrance(lambda_):
    made = create(lambda_, "nothing", EMPTY, VpcConfig={"SubnetIds": []}, DeadLetterConfig={"TargetArn": ""}, Tags={})

    assert made["FunctionName"] == "nothing"


@pytest.mark.parametrize(
    "wanted",
    [
        {"VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}},
        {"DeadLetterConfig": {"TargetArn": "arn:aws:sqs:us-east-1:000000000000:queue"}},
        {"FileSystemConfigs": [{"Arn": "arn:aws:elasticfilesystem:x", "LocalMountPath": "/mnt/x"}]},
        {"KMSKeyArn": "arn:aws:kms:us-east-1:000000000000:key/1"},
        {"SnapStart": {"ApplyOn": "PublishedVersions"}},
        {"Tags": {"a": "b"}},
        {"TracingConfig": {"Mode": "Active"}},
        {"Publish": True},
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
        ("create_function", {"S3Bucket": "bucket", "S3Key": "key"}, "S3.* not here"),
        ("update_function_code", {"PublishTo": "LATEST_PUBLISHED"}, "PublishTo is not here"),
        ("update_function_code", {"S3Bucket": "bucket", "S3Key": "key"}, "S3.* not here"),
        ("update_function_code", {"SourceKMSKeyArn": "arn:aws:kms:us-east-1:000000000000:key/1"}, "SourceKMSKeyArn is"),
        ("publish_layer_version", {"S3Bucket": "bucket", "S3Key": "key"}, "S3.* not here"),
        ("update_function_configuration", {"RevisionId": "x"}, "RevisionId is not here"),
        ("invoke", {"ClientContext": "e30="}, "ClientContext is not here"),
        ("invoke", {"InvocationType": "Event"}, "only RequestResponse is"),
        ("invoke", {"InvocationType": "DryRun"}, "only RequestResponse is"),
        ("invoke", {"TenantId": "ann"}, "TenantId is not here"),
        ("invoke", {"DurableExecutionName": "one"}, "DurableExecutionName is not here"),
    ],
)
def test_what_is_asked_for_beside_what_can_be_done_is_refused_and_not_dropped(lambda_, action, wanted, words):
    zipped = archive({"f.py": EMPTY})
    name = f"beside-{action}-{'-'.join(next(iter(wanted.items())))}"[:60].replace("=", "").replace(":", "")
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
