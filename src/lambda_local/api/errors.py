"""Errors of the Lambda API."""

from __future__ import annotations

import uuid

from lambda_local.http import Exchange


class ApiError(Exception):
    """An error answer: HTTP status, the type that clients map to an exception, message, other members."""

    def __init__(self, status: int, kind: str, message: str, **members: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.members = members

    def answer(self, exchange: Exchange) -> None:
        """Answer a request that failed before an invocation, with a new request id."""
        # Lambda uses both 'message' and 'Message'; clients accept both.
        body = {"Type": "User" if self.status < 500 else "Service", "message": self.message, **self.members}
        headers = [("x-amzn-ErrorType", self.kind), ("x-amzn-RequestId", str(uuid.uuid4()))]
        if self.status == 429:
            headers.append(("Retry-After", "1"))
        exchange.answer_json(self.status, body, headers)


def invalid(message: str) -> ApiError:
    return ApiError(400, "InvalidParameterValueException", message)


def constraint(value: str, name: str, words: str) -> ApiError:
    return invalid(
        f"1 validation error detected: Value '{value[:200]}' at '{name}' failed to satisfy constraint: {words}"
    )


def malformed(why: str) -> ApiError:
    return ApiError(400, "SerializationException", why)


def not_found(arn: str) -> ApiError:
    return ApiError(404, "ResourceNotFoundException", f"Function not found: {arn}")


def conflict(message: str) -> ApiError:
    return ApiError(409, "ResourceConflictException", message)


def too_large(most: int, operation: str) -> ApiError:
    message = f"Request must be smaller than {most} bytes for the {operation} operation"
    return ApiError(413, "RequestEntityTooLargeException", message)


def service_failed(why: str) -> ApiError:
    return ApiError(500, "ServiceException", why)
