"""What a server keeps over its end, and what it frees."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from lambda_local.settings import Settings
from lambda_local.state import State
from sectax.model.errors import WrongUse
from sectax.stack.local_lambda import LocalLambda
from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.serving import archive, client, create, invoke, served
from tests.lambda_local.test_invoke import WAITS, eventually
from tests.needs import SANDBOX, needs


def tells(word: str) -> str:
    return f"def handler(event, context):\n    return {word!r}\n"


def described(lambda_: Any, name: str) -> list[Any]:
    """Everything that callers see of a function."""
    versions = lambda_.list_versions_by_function(FunctionName=name)["Versions"]
    urls = lambda_.list_function_url_configs(FunctionName=name)["FunctionUrlConfigs"]
    return [
        versions,
        lambda_.get_function(FunctionName=name)["Tags"],
        [each["FunctionArn"] for each in urls],
        lambda_.list_aliases(FunctionName=name)["Aliases"],
        lambda_.get_function_concurrency(FunctionName=name)["ReservedConcurrentExecutions"],
        lambda_.get_function_event_invoke_config(FunctionName=name)["MaximumRetryAttempts"],
        lambda_.list_layer_versions(LayerName="data")["LayerVersions"],
    ]  # fmt: skip


def populate(lambda_: Any) -> None:
    content = {"ZipFile": archive({"data": "from the layer"})}
    layer = lambda_.publish_layer_version(LayerName="data", Content=content)["LayerVersionArn"]
    create(lambda_, "kept", tells("one"), Publish=True, Tags={"a": "b"}, Layers=[layer], Description="ü")
    lambda_.update_function_code(FunctionName="kept", ZipFile=archive({"f.py": tells("two")}))
    lambda_.create_alias(FunctionName="kept", Name="live", FunctionVersion="1")
    lambda_.put_function_concurrency(FunctionName="kept", ReservedConcurrentExecutions=2)
    lambda_.put_function_event_invoke_config(FunctionName="kept", MaximumRetryAttempts=1)
    lambda_.create_function_url_config(FunctionName="kept", AuthType="NONE")
    create(lambda_, "gone", tells("three"))
    lambda_.delete_function(FunctionName="gone")


@pytest.mark.more
def test_everything_is_there_again_at_the_next_start(tmp_path):
    with served(PlainBox.create, state=str(tmp_path)) as endpoint:
        populate(client(endpoint))
        before = described(client(endpoint), "kept")

    with served(PlainBox.create, state=str(tmp_path)) as endpoint:
        lambda_ = client(endpoint)
        after = described(lambda_, "kept")
        names = [each["FunctionName"] for each in lambda_.list_functions()["Functions"]]
        answers = [invoke(lambda_, "kept").value, invoke(lambda_, "kept", Qualifier="live").value]
        lambda_.update_function_configuration(FunctionName="kept", Timeout=9)
        version = lambda_.publish_version(FunctionName="kept")

    assert after == before
    assert names == ["kept"]
    assert answers == ["two", "one"]
    assert version["Version"] == "2"
    assert len(list((tmp_path / "archives").iterdir())) == 3  # one, two, the layer; nothing of the deleted function


@pytest.mark.more
@needs(*SANDBOX)
def test_a_killed_server_loses_nothing(tmp_path):
    settings = Settings(state=str(tmp_path))
    with LocalLambda(settings) as local:
        populate(local.client())
        os.kill(local.pid, signal.SIGKILL)
    with LocalLambda(settings) as local:
        lambda_ = local.client()

        assert invoke(lambda_, "kept", Qualifier="live").value == "one"
        assert [each["FunctionName"] for each in lambda_.list_functions()["Functions"]] == ["kept"]


def test_two_servers_cannot_have_the_same_state(tmp_path):
    State(tmp_path)

    with pytest.raises(WrongUse, match="another server uses"):
        State(tmp_path)


def test_what_a_killed_server_did_not_finish_is_removed(tmp_path):
    State(tmp_path).close()
    (tmp_path / "functions" / ".kept.json.0123").write_text("{")

    state = State(tmp_path)

    assert state.functions() == []
    assert list((tmp_path / "functions").iterdir()) == []


def test_a_document_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "broken.json").write_text("{")

    with pytest.raises(WrongUse, match=r"broken.json cannot be read"):
        State(tmp_path).functions()


def test_code_that_nobody_needs_is_removed_from_disk(box, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with served(box.create) as endpoint:
        lambda_ = client(endpoint)
        (work,) = tmp_path.glob("sectax-lambda-*")
        here, until = str(tmp_path / "here"), str(tmp_path / "until")
        create(lambda_, "short", WAITS)
        call = threading.Thread(target=invoke, args=(lambda_, "short", {"here": here, "until": until}))
        call.start()
        assert eventually(lambda: Path(here).exists())

        lambda_.delete_function(FunctionName="short")
        while_it_runs = len(list((work / "code").iterdir()))
        Path(until).touch()
        call.join(20)

        assert while_it_runs == 1
        assert eventually(lambda: not list((work / "code").iterdir()))


def test_what_functions_write_goes_to_the_log_file(tmp_path):
    log = tmp_path / "log"
    with served(PlainBox.create, logs=str(log)) as endpoint:
        lambda_ = client(endpoint)
        create(lambda_, "talks", "def handler(event, context):\n    print('one')\n    print('two', end='')\n")
        lambda_.invoke(FunctionName="talks", InvocationType="Event")
        assert eventually(lambda: log.exists() and "REPORT" in log.read_text())

    lines = [line.split(" ", 2) for line in log.read_text().splitlines()]
    assert {name for _, name, _ in lines} == {"talks-1"}
    said = [text for _, _, text in lines]
    assert said[0].startswith("START RequestId")
    assert said[1:3] == ["one", "two"]
    assert said[4].startswith("REPORT RequestId")
