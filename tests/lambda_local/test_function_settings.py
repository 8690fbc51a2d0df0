"""What is not here is refused by its name, and never dropped."""

from __future__ import annotations

import pytest

from tests.lambda_local.serving import PYTHON, ROLE, archive, client, create

EMPTY = "def handler(event, context):\n    return None\n"
CODE = {"ZipFile": archive({"f.py": EMPTY})}
IN_S3 = {"S3Bucket": "bucket", "S3Key": "key"}
CREATE = {"Runtime": PYTHON, "Handler": "f.handler", "Role": ROLE, "Code": CODE}


@pytest.mark.parametrize(
    ("action", "given", "name"),
    [
        ("create_function", CREATE | {"VpcConfig": {"SubnetIds": ["subnet-1"]}}, "VpcConfig"),
        ("create_function", CREATE | {"Tags": {"a": "b"}}, "Tags"),
        ("create_function", CREATE | {"Publish": True}, "Publish"),
        ("create_function", CREATE | {"Code": CODE | IN_S3}, "S3Bucket"),
        ("create_function", CREATE | {"Code": IN_S3}, "S3Bucket"),
        ("update_function_code", IN_S3, "S3Bucket"),
        ("update_function_code", CODE | {"SourceKMSKeyArn": "arn:aws:kms:us-east-1:000000000000:key/1"}, "SourceKMS"),
        ("update_function_configuration", {"RevisionId": "x"}, "RevisionId"),
        ("update_function_configuration", {"TracingConfig": {"Mode": "Active"}}, "TracingConfig"),
        ("invoke", {"ClientContext": "e30="}, "ClientContext"),
        ("invoke", {"InvocationType": "Event"}, "Event"),
        ("invoke", {"InvocationType": "DryRun"}, "DryRun"),
        ("invoke", {"TenantId": "ann"}, "TenantId"),
        ("invoke", {"DurableExecutionName": "one"}, "DurableExecutionName"),
    ],
)
def test_what_cannot_be_done_here_is_refused_by_its_name(lambda_, action, given, name):
    unchecked = client(str(lambda_.meta.endpoint_url), parameter_validation=False)
    if action != "create_function":
        create(lambda_, f"refused-{name}-{action}"[:60], EMPTY)

    with pytest.raises(unchecked.exceptions.InvalidParameterValueException, match=name):
        getattr(unchecked, action)(FunctionName=f"refused-{name}-{action}"[:60], **given)


def test_a_layer_that_is_not_sent_as_a_zip_is_refused(lambda_):
    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="S3Bucket"):
        lambda_.publish_layer_version(LayerName="in-s3", Content=IN_S3)
