"""Turns what went wrong with a function into words for a person: what happened, and what to try."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from botocore import exceptions as trouble  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

from sectax.text.printable import printable


class OddAnswer(Exception):
    """A call of `operation` was answered in another form than a Lambda's; `words` say in which."""

    def __init__(self, operation: str, words: str) -> None:
        super().__init__(f"{operation}: {words}")
        self.operation = operation
        self.words = words


# Everything that a call through AWS's client may raise, where it is made under `reading_answer`.
ServiceTrouble = (ClientError, BotoCoreError, ResponseParserError, OddAnswer)
# How the client stumbles over an answer that has another form than a Lambda's.
Unreadable = (ValueError, TypeError, AttributeError, LookupError)

_LONGEST = 300  # characters of what a function said
_LOG_LINES = 3


@contextmanager
def reading_answer(operation: str) -> Iterator[None]:
    """Around one call and the reading of its answer: what stumbles over its form is raised as `OddAnswer`."""
    try:
        yield
    except Unreadable as error:
        raise OddAnswer(operation, f"{type(error).__name__}: {error}") from error


def is_lambdas_own(error: Exception) -> bool:
    """Whether an error is the answer of a Lambda, and not one of something else or of nothing at all."""
    return isinstance(error, ClientError) and "x-amzn-errortype" in error.response["ResponseMetadata"]["HTTPHeaders"]


def absence(error: Exception) -> tuple[str, str]:
    """As `refusal`, where it is not known yet that there is a Lambda."""
    match error:
        case trouble.NoCredentialsError() | trouble.ConnectionError() | trouble.ConnectionClosedError():
            return refusal(error)
        case trouble.ReadTimeoutError():
            return "something listens, and does not answer", "is --endpoint right?"
    return f"what answers is no Lambda: {printable(str(error), _LONGEST)}", "is --endpoint right?"


def refusal(error: Exception) -> tuple[str, str]:
    """What happened and what to try, where a call did not come to an answer of the function."""
    match error:
        case ClientError():
            details = error.response.get("Error", {})
            code, message = details.get("Code", "an error"), details.get("Message", "")
            return f"{error.operation_name} was refused: {code}: {message}", _REFUSED.get(code, _LOOK_UP)
        case trouble.NoCredentialsError():
            return "there are no credentials for this endpoint", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        case trouble.NoRegionError():
            return "no region is named", "set AWS_REGION"
        case trouble.ReadTimeoutError():
            return f"no answer came in time: {error}", "give the function a shorter --timeout than the call has"
        case trouble.ConnectionError() | trouble.ConnectionClosedError():
            return f"the service cannot be reached: {error}", "is it running, and is --endpoint right?"
        case OddAnswer():
            details = printable(error.words, _LONGEST)
            return f"{error.operation} was answered by what is no Lambda: {details}", "is --endpoint right?"
        case ResponseParserError():
            return "what answers is no Lambda: its answer cannot be read", "is --endpoint right?"
    return str(error), _LOOK_UP


_LOOK_UP = "docs/lambda.md says what the service takes"
_REFUSED = {
    "InvalidRequestContentException": "an event must be JSON",
    "TooManyRequestsException": "the service throttles: raise its concurrency limit, or measure fewer treatments",
    "InvalidParameterValueException": "correct the configuration that it names",
    "AccessDeniedException": "these credentials may not do that: docs/lambda.md says what is needed",
    "RequestEntityTooLargeException": "an event may have 6 MB",
}


def function_error(payload: str, log: str) -> tuple[str, str]:
    """What happened and what to try, where the function answered with an error."""
    try:
        details = msgspec.json.decode(payload, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError):
        details = {}
    kind, message = str(details.get("errorType", "an error")), str(details.get("errorMessage", payload))
    words = f"answered with {printable(kind, 100)}: {printable(message, _LONGEST)}"
    if "timed out" in message:
        return words, "raise --timeout, or give it more memory"
    if "signal: killed" in message:
        return words, "it may have run out of memory: give it more"
    own = [line for line in log.splitlines() if line.strip() and not line.startswith(_PLATFORM)]
    if own:
        words += f"; last in its log: {printable(' | '.join(own[-_LOG_LINES:]), _LONGEST)}"
    return words, "invoke it by hand with this event to see why (sectax lambda serve)"


_PLATFORM = ("START RequestId:", "END RequestId:", "REPORT RequestId:", "INIT_START", "XRAY ")
