"""A served local Lambda for tests, archives to give it, and boto3 to speak to it."""

from __future__ import annotations

import asyncio
import base64
import functools
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import boto3
import msgspec
from botocore.config import Config

from lambda_local.http.server import listen_on_loopback
from lambda_local.instances.invocation import InvocationMetrics
from lambda_local.main import Service
from lambda_local.settings import Settings
from tests.lambda_local.archives import archive

T = TypeVar("T")
ROLE = "arn:aws:iam::000000000000:role/local"
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


@contextmanager
def loop_in_thread() -> Iterator[Callable[[Coroutine[Any, Any, T]], T]]:
    """An event loop in a thread of its own; yields what runs a coroutine in it to its end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def run(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(60)

    try:
        yield run
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        assert not thread.is_alive()
        loop.close()


@contextmanager
def served(make_box: Callable[..., Any], **settings: Any) -> Iterator[str]:
    """A service in an event loop of its own thread; yields its endpoint."""
    wanted = Settings(**settings)
    listener = listen_on_loopback(wanted.port)

    async def start() -> Service:
        service = Service(wanted, listener, make_box)
        await service.start()
        return service

    with loop_in_thread() as run:
        service = run(start())
        try:
            yield service.endpoint
        finally:
            run(service.stop())


@functools.cache
def _session() -> boto3.session.Session:
    """Shared, since each of its own reads the descriptions of AWS's services again: half a second."""
    return boto3.session.Session()


def client(endpoint: str, **config: Any) -> Any:
    wanted = {"retries": {"total_max_attempts": 1}, "read_timeout": 60, "max_pool_connections": 20} | config
    return _session().client(
        "lambda",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(**wanted),
    )


@contextmanager
def client_of(make_box: Callable[..., Any], **settings: Any) -> Iterator[Any]:
    """boto3's client of a service of its own."""
    with served(make_box, **settings) as endpoint:
        yield client(endpoint)


class LocalLambda:
    """A server in a process of its own, started by its command; it ends with the `with` block."""

    def __init__(self, *words: str) -> None:
        self._words = words
        self.endpoint = ""
        self.error = self.hint = ""

    def __enter__(self) -> LocalLambda:
        argv = [sys.executable, "-m", "lambda_local", "serve", "--json", "--port", "0", *self._words]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, start_new_session=True)
        ready = json.loads(self.process.stdout.readline())
        self.endpoint = ready.get("endpoint", "")
        self.error, self.hint = ready.get("error", ""), ready.get("hint", "")
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self.process.pid

    def stop(self) -> None:
        self.process.communicate(timeout=60)

    def client(self, **config: Any) -> Any:
        return client(self.endpoint, **config)


def measured(answer: dict[str, Any]) -> InvocationMetrics:
    return msgspec.json.decode(
        answer["ResponseMetadata"]["HTTPHeaders"]["x-lambda-local-measured"], type=InvocationMetrics
    )


def create(lambda_: Any, name: str, source: str, **more: Any) -> dict[str, Any]:
    """A Python function `f.handler` of this source."""
    wanted = {
        "FunctionName": name,
        "Runtime": PYTHON,
        "Handler": "f.handler",
        "Role": ROLE,
        "Code": {"ZipFile": archive({"f.py": source})},
        "Timeout": 20,
        "MemorySize": 256,
    }
    return lambda_.create_function(**(wanted | more))


def provide(
    lambda_: Any, name: str, files: dict[str, str | bytes], executable: tuple[str, ...] = ("bootstrap",), **more: Any
) -> None:
    """A function that brings its own `bootstrap`."""
    code = {"ZipFile": archive(files, executable)}
    create(lambda_, name, "", Runtime="provided.al2023", Handler="bootstrap", Code=code, **more)


# How the scripts of extensions call their API.
CALLS_API = """
import http.client, json, os, sys, time
connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
def call(method, path, body=None, **headers):
    connection.request(method, "/2020-01-01/extension/" + path, body, headers)
    answer = connection.getresponse()
    return answer.getheader("Lambda-Extension-Identifier"), json.loads(answer.read())
"""


def extension_layer(lambda_: Any, name: str, source: str) -> str:
    """The ARN of a new layer with an external extension of this name."""
    content = {"ZipFile": archive({f"extensions/{name}": source}, executable=(f"extensions/{name}",))}
    return lambda_.publish_layer_version(LayerName=name, Content=content)["LayerVersionArn"]


class Answer:
    """What came of an Invoke."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.text = raw["Payload"].read().decode()
        self.error = raw.get("FunctionError")
        self.log = base64.b64decode(raw.get("LogResult", "")).decode()
        self.measured = json.loads(raw["ResponseMetadata"]["HTTPHeaders"]["x-lambda-local-measured"])

    @property
    def value(self) -> Any:
        return json.loads(self.text)


def invoke(lambda_: Any, name: str, event: Any = None, **more: Any) -> Answer:
    payload = {} if event is None else {"Payload": json.dumps(event)}
    return Answer(lambda_.invoke(FunctionName=name, LogType="Tail", **payload, **more))
