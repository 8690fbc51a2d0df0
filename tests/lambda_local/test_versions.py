"""Versions, aliases and qualifiers, as AWS answers them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from lambda_local import entry
from tests.lambda_local.serving import PYTHON, archive, client, create, invoke
from tests.lambda_local.test_streams import RUNTIME

TELLS = """
import os
def handler(event, context):
    return [NUMBER, context.function_version, context.invoked_function_arn, os.environ["AWS_LAMBDA_FUNCTION_VERSION"]]
"""
ARN = "arn:aws:lambda:us-east-1:000000000000:function:"


def tells(number: int) -> str:
    return TELLS.replace("NUMBER", str(number))


def published(lambda_: Any, name: str, numbers: int) -> None:
    """A function with so many versions, each of which tells its number; $LATEST tells 0."""
    create(lambda_, name, tells(0))
    for number in range(1, numbers + 1):
        lambda_.update_function_code(FunctionName=name, ZipFile=archive({"f.py": tells(number)}), Publish=True)
    lambda_.update_function_code(FunctionName=name, ZipFile=archive({"f.py": tells(0)}))


def test_versions_stay_as_they_were_published(lambda_):
    published(lambda_, "kept", 2)

    answers = [invoke(lambda_, "kept", Qualifier=qualifier) for qualifier in ("1", "2", "$LATEST")]

    assert [answer.value for answer in answers] == [
        [1, "1", f"{ARN}kept:1", "1"],
        [2, "2", f"{ARN}kept:2", "2"],
        [0, "$LATEST", f"{ARN}kept:$LATEST", "$LATEST"],
    ]
    assert [answer.raw["ExecutedVersion"] for answer in answers] == ["1", "2", "$LATEST"]
    assert f"Version: {1}\n" in answers[0].log
    assert invoke(lambda_, f"{ARN}kept:2").value[0] == 2
    assert invoke(lambda_, "kept").value == [0, "$LATEST", f"{ARN}kept", "$LATEST"]


def test_publishing_without_a_change_makes_no_version(lambda_):
    made = create(lambda_, "same", tells(0), Publish=True)

    again = lambda_.publish_version(FunctionName="same", Description="ignored")
    lambda_.update_function_configuration(FunctionName="same", Timeout=7)
    next_one = lambda_.publish_version(FunctionName="same", Description="slower")

    assert (made["Version"], made["FunctionArn"]) == ("1", f"{ARN}same")
    assert (again["Version"], again["FunctionArn"]) == ("1", f"{ARN}same:1")
    assert (next_one["Version"], next_one["Description"], next_one["Timeout"]) == ("2", "slower", 7)
    versions = lambda_.list_versions_by_function(FunctionName="same")["Versions"]
    assert [(each["Version"], each["FunctionArn"]) for each in versions] == [
        ("$LATEST", f"{ARN}same:$LATEST"), ("1", f"{ARN}same:1"), ("2", f"{ARN}same:2"),
    ]  # fmt: skip


def test_publishing_is_refused_where_the_code_or_the_revision_is_another(lambda_):
    create(lambda_, "checked", tells(0))

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="CodeSHA256"):
        lambda_.publish_version(FunctionName="checked", CodeSha256="bm9uZQ==")
    with pytest.raises(lambda_.exceptions.PreconditionFailedException):
        lambda_.publish_version(FunctionName="checked", RevisionId="none")


@pytest.mark.parametrize("operation", ["invoke", "get_function", "get_function_configuration"])
@pytest.mark.parametrize("qualifier", ["7", "nobody"])
def test_a_qualifier_that_is_not_there_is_not_found_and_runs_nothing(lambda_, operation, qualifier):
    name = f"only-latest-{operation}-{qualifier}"
    create(lambda_, name, tells(0))

    with pytest.raises(lambda_.exceptions.ResourceNotFoundException, match=f"function:{name}:{qualifier}"):
        getattr(lambda_, operation)(FunctionName=name, Qualifier=qualifier)


def test_two_qualifiers_that_differ_are_refused(lambda_):
    create(lambda_, "two", tells(0))

    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="does not match"):
        lambda_.get_function(FunctionName=f"{ARN}two:1", Qualifier="2")


def test_deleting_a_version_deletes_nothing_else(lambda_):
    published(lambda_, "less", 2)

    lambda_.delete_function(FunctionName="less", Qualifier="1")

    versions = lambda_.list_versions_by_function(FunctionName="less")["Versions"]
    assert [each["Version"] for each in versions] == ["$LATEST", "2"]
    assert invoke(lambda_, "less", Qualifier="2").value[0] == 2
    with pytest.raises(lambda_.exceptions.ResourceNotFoundException):
        lambda_.delete_function(FunctionName="less", Qualifier="1")
    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="LATEST version cannot be deleted"):
        lambda_.delete_function(FunctionName="less", Qualifier="$LATEST")
    lambda_.update_function_code(FunctionName="less", ZipFile=archive({"f.py": tells(9)}), Publish=True)
    assert invoke(lambda_, "less", Qualifier="3").value[0] == 9  # numbers are never used twice


def test_an_alias_names_a_version_and_is_moved(lambda_):
    published(lambda_, "named", 2)

    made = lambda_.create_alias(FunctionName="named", Name="live", FunctionVersion="1", Description="now")
    first = invoke(lambda_, "named", Qualifier="live")
    moved = lambda_.update_alias(FunctionName="named", Name="live", FunctionVersion="2", RevisionId=made["RevisionId"])
    second = invoke(lambda_, f"{ARN}named:live")

    assert made["AliasArn"] == f"{ARN}named:live"
    assert (first.value[:3], first.raw["ExecutedVersion"]) == ([1, "1", f"{ARN}named:live"], "1")
    assert second.value[:3] == [2, "2", f"{ARN}named:live"]
    assert (moved["FunctionVersion"], moved["Description"]) == ("2", "now")
    found = lambda_.get_function(FunctionName="named", Qualifier="live")["Configuration"]
    assert (found["Version"], found["FunctionArn"]) == ("2", f"{ARN}named:live")
    assert lambda_.get_alias(FunctionName="named", Name="live")["RevisionId"] == moved["RevisionId"]
    with pytest.raises(lambda_.exceptions.PreconditionFailedException):
        lambda_.update_alias(FunctionName="named", Name="live", FunctionVersion="1", RevisionId=made["RevisionId"])
    with pytest.raises(lambda_.exceptions.ResourceConflictException, match="live"):
        lambda_.delete_function(FunctionName="named", Qualifier="2")
    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="Deletion of aliases"):
        lambda_.delete_function(FunctionName="named", Qualifier="live")


def test_an_alias_with_weights_divides_the_events(lambda_):
    published(lambda_, "divided", 2)
    lambda_.create_alias(
        FunctionName="divided",
        Name="both",
        FunctionVersion="1",
        RoutingConfig={"AdditionalVersionWeights": {"2": 0.5}},
    )

    ran = {invoke(lambda_, "divided", Qualifier="both").raw["ExecutedVersion"] for _ in range(40)}

    assert ran == {"1", "2"}  # one of them alone: 1 in 2^39
    alias = lambda_.get_alias(FunctionName="divided", Name="both")
    assert alias["RoutingConfig"] == {"AdditionalVersionWeights": {"2": 0.5}}
    plain = lambda_.update_alias(FunctionName="divided", Name="both", RoutingConfig={"AdditionalVersionWeights": {}})
    assert "RoutingConfig" not in plain


def test_the_version_that_an_alias_chose_runs_under_its_own_runtime(lambda_, monkeypatch):
    bootstrap = RUNTIME.replace('said["parts"]', '["2"]')
    code = {
        "ZipFile": archive({"f.py": "def handler(event, context): return 1", "bootstrap": bootstrap}, ("bootstrap",))
    }
    create(lambda_, "moved", "", Code=code, Publish=True)
    lambda_.update_function_configuration(FunctionName="moved", Runtime="provided.al2023")
    lambda_.publish_version(FunctionName="moved")
    weights = {"AdditionalVersionWeights": {"2": 0.5}}
    lambda_.create_alias(FunctionName="moved", Name="both", FunctionVersion="1", RoutingConfig=weights)
    monkeypatch.setattr(entry.random, "random", itertools.cycle((0.1, 0.9, 0.9)).__next__)

    answers = [invoke(lambda_, "moved", Qualifier="both") for _ in range(6)]

    assert [answer.text for answer in answers] == [answer.raw["ExecutedVersion"] for answer in answers]
    assert {answer.text for answer in answers} == {"1", "2"}


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"FunctionVersion": "9"}, "ResourceNotFoundException", "not found.*:9"),
        ({"Name": "12"}, "InvalidParameterValueException", "'name'"),
        ({"RoutingConfig": {"AdditionalVersionWeights": {"1": 0.1}}}, "InvalidParameterValueException", "already in"),
        ({"RoutingConfig": {"AdditionalVersionWeights": {"2": 1.5}}}, "InvalidParameterValueException", "0.0 to 1.0"),
        ({"RoutingConfig": {"AdditionalVersionWeights": {"$LATEST": 0.1}}}, "InvalidParameterValueException", "LATEST"),
    ],
)  # fmt: skip
def test_aliases_that_cannot_be_are_refused(lambda_, wrong, error, said):
    if "to-refuse" not in [each["FunctionName"] for each in lambda_.list_functions()["Functions"]]:
        published(lambda_, "to-refuse", 2)
    unchecked = client(str(lambda_.meta.endpoint_url), parameter_validation=False)

    with pytest.raises(getattr(unchecked.exceptions, error), match=said):
        unchecked.create_alias(**({"FunctionName": "to-refuse", "Name": "a", "FunctionVersion": "1"} | wrong))


def test_aliases_are_listed_and_deleted(lambda_):
    published(lambda_, "many", 2)
    for name, version in (("a", "1"), ("b", "2"), ("c", "2")):
        lambda_.create_alias(FunctionName="many", Name=name, FunctionVersion=version)

    pages = list(lambda_.get_paginator("list_aliases").paginate(FunctionName="many", PaginationConfig={"PageSize": 2}))
    of_two = lambda_.list_aliases(FunctionName="many", FunctionVersion="2")["Aliases"]
    lambda_.delete_alias(FunctionName="many", Name="a")
    lambda_.delete_alias(FunctionName="many", Name="a")  # as on AWS

    assert [[each["Name"] for each in page["Aliases"]] for page in pages] == [["a", "b"], ["c"]]
    assert [each["Name"] for each in of_two] == ["b", "c"]
    with pytest.raises(lambda_.exceptions.ResourceNotFoundException, match="Cannot find alias arn"):
        lambda_.get_alias(FunctionName="many", Name="a")


def test_all_versions_of_all_functions_can_be_listed(lambda_):
    published(lambda_, "every", 1)

    pages = lambda_.get_paginator("list_functions").paginate(FunctionVersion="ALL", PaginationConfig={"PageSize": 3})
    arns = [each["FunctionArn"] for page in pages for each in page["Functions"]]

    assert {f"{ARN}every:$LATEST", f"{ARN}every:1"} <= set(arns)
    assert len(arns) == len(set(arns))


def test_layer_versions_are_found_listed_and_deleted_and_functions_keep_them(lambda_):
    def publish(text: str, **more: Any) -> dict[str, Any]:
        content = {"ZipFile": archive({"python/lib.py": f"x = {text!r}"})}
        return dict(lambda_.publish_layer_version(LayerName="lib", Content=content, **more))

    first, second = publish("one", LicenseInfo="MIT"), publish("two", CompatibleRuntimes=[PYTHON])
    source = "import os\ndef handler(event, context):\n    return open(os.environ['LIB']).read()\n"
    variables = {"Variables": {"LIB": "/opt/python/lib.py"}}
    create(lambda_, "with-layer", source, Layers=[second["LayerVersionArn"]], Environment=variables)
    found = lambda_.get_layer_version(LayerName="lib", VersionNumber=1)
    listed = lambda_.list_layer_versions(LayerName="lib")["LayerVersions"]
    layers = {each["LayerName"]: each for each in lambda_.list_layers()["Layers"]}
    lambda_.delete_layer_version(LayerName="lib", VersionNumber=2)
    third = publish("three")

    assert (found["LicenseInfo"], found["LayerVersionArn"]) == ("MIT", first["LayerVersionArn"])
    assert [each["Version"] for each in listed] == [2, 1]
    assert layers["lib"]["LatestMatchingVersion"]["Version"] == 2
    assert third["Version"] == 3
    assert lambda_.get_layer_version_by_arn(Arn=third["LayerVersionArn"])["Version"] == 3
    with pytest.raises(lambda_.exceptions.ResourceNotFoundException):
        lambda_.get_layer_version(LayerName="lib", VersionNumber=2)
    assert invoke(lambda_, "with-layer").value == "x = 'two'"
    with pytest.raises(lambda_.exceptions.InvalidParameterValueException, match="does not exist"):
        create(lambda_, "too-late", source, Layers=[second["LayerVersionArn"]])
