"""Functions reach the addresses that are allowed, at 127.0.0.1, and nothing else."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lambda_local.instances import forwarding as allowed
from tests.lambda_local.serving import LocalLambda, create, invoke, loop_in_thread
from tests.needs import SANDBOX, needs

# Sends, ends its half, and reads to the end: so both ends and both directions are seen.
ASKS = """
import socket
def handler(event, context):
    try:
        with socket.create_connection(("127.0.0.1", event["port"]), 5) as connection:
            connection.sendall(b"x" * event["size"])
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
    except OSError as error:
        return type(error).__name__
    return [len(answer), answer[:1].decode()]
"""


@contextmanager
def echo_server() -> Iterator[int]:
    """Answers with what was sent, in capitals, when all of it has come; its port."""

    def serve(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                got = b""
                while chunk := connection.recv(65536):
                    got += chunk
                connection.sendall(got.upper())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(60)


@needs(*SANDBOX)
def test_a_function_reaches_only_allowed_addresses():
    with echo_server() as open_, echo_server() as other, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nobody listens there
        dead = closed.getsockname()[1]
        with LocalLambda("--allow", f"127.0.0.1:{open_}", "--allow", f"localhost:{dead}") as local:
            lambda_ = local.client()
            create(lambda_, "asks", ASKS, MemorySize=1769)

            assert invoke(lambda_, "asks", {"port": open_, "size": 3}).value == [3, "X"]
            assert invoke(lambda_, "asks", {"port": open_, "size": 3_000_000}).value == [3_000_000, "X"]
            assert invoke(lambda_, "asks", {"port": other, "size": 3}).value == "ConnectionRefusedError"
            assert invoke(lambda_, "asks", {"port": dead, "size": 3}).value != [3, "X"]


@contextmanager
def passage_to(port: int) -> Iterator[tuple[str, int]]:
    """Where somebody inside connects who is passed on to this port."""
    passage = allowed.Forwarder("127.0.0.1", port)

    async def end() -> None:
        passage.close()
        await asyncio.sleep(0.1)

    with loop_in_thread() as run, socket.create_server(("127.0.0.1", 0)) as inside:
        run(passage.open(inside))
        try:
            yield inside.getsockname()
        finally:
            run(end())


def test_data_sent_before_the_address_answers_are_not_lost():
    # Python up to 3.11.3 reads from a connection that was paused when it came.
    with echo_server() as port, passage_to(port) as inside:
        for _ in range(5):
            with socket.create_connection(inside, 20) as connection:
                connection.sendall(b"x" * 3_000_000)
                connection.shutdown(socket.SHUT_WR)
                answered = 0
                while chunk := connection.recv(65536):
                    answered += len(chunk)
            assert answered == 3_000_000


def test_an_answer_that_breaks_off_does_not_look_like_one_that_ended():
    with (
        socket.create_server(("127.0.0.1", 0)) as target,
        passage_to(target.getsockname()[1]) as inside,
        socket.create_connection(inside, 20) as connection,
    ):
        accepted, _ = target.accept()
        accepted.sendall(b"half")
        assert connection.recv(65536) == b"half"
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        accepted.close()
        with pytest.raises(ConnectionResetError):
            connection.recv(65536)


def test_an_instance_has_a_bounded_number_of_connections_to_an_allowed_address(monkeypatch):
    monkeypatch.setattr(allowed, "_CONNECTIONS", 2)
    with socket.create_server(("127.0.0.1", 0)) as target:

        async def kept() -> list[bool]:
            inside = socket.create_server(("127.0.0.1", 0))
            address = inside.getsockname()
            passage = allowed.Forwarder("127.0.0.1", target.getsockname()[1])
            await passage.open(inside)
            ends = []
            for _ in range(3):
                reader, writer = await asyncio.open_connection(*address)
                accepted, _ = await asyncio.to_thread(target.accept) if len(ends) < 2 else (None, None)
                if accepted is not None:
                    accepted.sendall(b"x")
                ends.append((reader, writer, accepted))
            answers = [await reader.read(1) == b"x" for reader, _, _ in ends]
            passage.close()
            for _, writer, accepted in ends:
                writer.close()
                if accepted is not None:
                    accepted.close()
            return answers

        assert asyncio.run(kept()) == [True, True, False]
