"""Functions that bring their own program: a shell's worth of mistakes, and Go under aws-lambda-go."""

from __future__ import annotations

import pytest

from tests.lambda_local.builds import go_bootstrap
from tests.lambda_local.serving import invoke, provide
from tests.needs import needs


@pytest.mark.more
@needs("Go")
def test_a_go_function_runs_under_aws_s_own_client(lambda_):
    provide(lambda_, "go", {"bootstrap": go_bootstrap()})

    answers = [invoke(lambda_, "go", {"name": name}) for name in ("ann", "bob")]

    assert [answer.value["greeting"] for answer in answers] == ["hello ann", "hello bob"]
    assert answers[0].value["function"] == "go"
    assert answers[0].value["id"] == answers[0].measured["request_id"]
    assert "greeting ann\n" in answers[0].log
    assert answers[0].measured["instance"] == answers[1].measured["instance"]


@needs("Go")
def test_errors_and_panics_of_go_are_unhandled_errors(lambda_):
    provide(lambda_, "go-errors", {"bootstrap": go_bootstrap()})

    error, panic = invoke(lambda_, "go-errors", {"name": ""}), invoke(lambda_, "go-errors", {"name": "panic"})

    assert error.error == panic.error == "Unhandled"
    assert error.value == {"errorMessage": "nobody to greet", "errorType": "errorString"}
    assert panic.value["errorMessage"] == "asked to"
    assert panic.value["stackTrace"]


@pytest.mark.parametrize(
    ("files", "executable", "words"),
    [
        ({"readme": "x"}, (), "Couldn't find valid bootstrap(s): [/var/task/bootstrap /opt/bootstrap]"),
        ({"bootstrap": "#!/bin/sh\n"}, (), "ermission denied"),
        ({"bootstrap": "#!/nonesuch\n"}, ("bootstrap",), "No such file"),
    ],
    ids=["none", "not executable", "no interpreter"],
)
def test_a_bootstrap_that_cannot_be_started_is_an_invalid_entrypoint(lambda_, files, executable, words, request):
    name = request.node.callspec.id.replace(" ", "-")
    provide(lambda_, name, files, executable)

    answer = invoke(lambda_, name)

    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == "Runtime.InvalidEntrypoint"
    assert words in answer.value["errorMessage"]


def test_a_bootstrap_that_never_asks_for_an_event_has_exited(lambda_):
    provide(lambda_, "short", {"bootstrap": "#!/bin/sh\necho so short\nexit 5\n"})

    answer = invoke(lambda_, "short")

    assert answer.value["errorType"] == "Runtime.ExitError"
    assert answer.value["errorMessage"].endswith("exit status 5")
    assert "so short" in answer.log
