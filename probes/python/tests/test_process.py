"""The real program, in a real process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.speak import Reply, measure, prepare, witness
from tests.vectors import EDDSA, HS256, RS256

FOLDER = Path(__file__).parent.parent
HELLO: Reply = {"seq": 1, "command": "hello", "protocol": 1}
MANIFEST = tomllib.loads((FOLDER / "probe.toml").read_text())


def start(*options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *options, *MANIFEST["command"][1:]],
        cwd=FOLDER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def send(process: subprocess.Popen[bytes], request: Reply) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()


def converse(*requests: Reply, options: tuple[str, ...] = ()) -> tuple[list[Reply], str]:
    """Replies and log of a process that was told *requests* and then the end of input."""
    process = start(*options)
    out, log = process.communicate(b"".join(json.dumps(request).encode() + b"\n" for request in requests), 60)
    assert process.returncode == 0
    return [json.loads(line) for line in out.splitlines()], log.decode()


def test_a_whole_conversation() -> None:
    replies, log = converse(
        HELLO,
        prepare("sign", RS256, "primitive", "parsed-per-call"),
        witness(RS256.token),
        measure(3, each=True),
        {"seq": 4, "command": "stop"},
    )

    assert [reply["status"] for reply in replies] == ["ok"] * 5
    assert replies[0]["probe"]["name"] == MANIFEST["name"]
    assert replies[2]["artefact"] == RS256.token
    assert len(replies[3]["elapsed_ns"]) == 3
    assert log == ""


def test_a_reply_comes_at_once_and_stop_ends_the_process() -> None:
    with start() as process:
        assert process.stdout is not None
        for request, ends in ((HELLO, False), ({"seq": 2, "command": "stop"}, True)):
            send(process, request)
            assert json.loads(process.stdout.readline())["status"] == "ok"
            if ends:
                assert process.wait(10) == 0


def test_a_library_that_is_missing_is_skipped_with_a_hint() -> None:
    replies, log = converse(
        HELLO,
        prepare("sign", EDDSA, "primitive"),
        prepare("sign", HS256, "library"),
        options=("-S",),  # no site-packages
    )

    assert [reply["status"] for reply in replies] == ["ok", "skipped", "skipped"]
    assert [library["name"] for library in replies[0]["libraries"]] == ["openssl of Python"]
    assert "cryptography" in replies[1]["reason"]
    assert "jwt" in replies[2]["reason"]
    assert "requirements.lock" in replies[1]["hint"]
    assert log == ""


def test_a_process_imports_only_what_it_measures() -> None:
    def imported(*requests: Reply) -> str:
        return converse(*requests, options=("-X", "importtime"))[1]

    hello = imported(HELLO, {"seq": 2, "command": "prepare", "operation": "empty"})
    hmac = imported(HELLO, prepare("sign", HS256, "primitive"))
    primitive = imported(HELLO, prepare("sign", RS256, "primitive"))

    assert "cryptography.hazmat.primitives" not in hello
    assert "importlib.metadata" not in hello + hmac + primitive
    assert "cryptography.hazmat.primitives.serialization" not in hmac
    assert "jwt" not in hello + hmac + primitive


def test_stdout_belongs_to_the_protocol() -> None:
    noisy = (
        "import os; from sectax_probe.kit.conversation import Probe, serve;"
        "say = lambda: print('from Python', flush=True) or os.system('echo from a child') and {} or {};"
        "serve(Probe('noisy', '1', say, {}, None))"
    )

    command, hello = [sys.executable, "-c", noisy], json.dumps(HELLO).encode()
    done = subprocess.run(command, cwd=FOLDER, input=hello, capture_output=True, check=True)

    assert json.loads(done.stdout)["status"] == "ok"
    assert done.stderr == b"from Python\nfrom a child\n"


def test_an_interrupt_is_silent() -> None:
    with start() as process:
        assert process.stdout is not None
        assert process.stderr is not None
        send(process, HELLO)
        process.stdout.readline()
        process.send_signal(signal.SIGINT)

        assert process.wait(10) == -signal.SIGINT
        assert process.stderr.read() == b""


def test_a_reader_that_went_away_ends_the_process_quietly() -> None:
    with start() as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        send(process, HELLO)

        assert process.wait(10) == 1
        assert process.stderr.read() == b""


def test_the_locks_name_no_registry() -> None:
    for lock in (MANIFEST["setup"]["lock"], "requirements-dev.lock"):
        text = (FOLDER / lock).read_text()
        assert "://" not in text
        assert "--hash=sha256:" in text
