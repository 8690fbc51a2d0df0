"""The functions are built into zips that run by themselves, the same bytes every time."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from sectax.experiments.hmac import events
from sectax.experiments.on_lambda import functions
from sectax.model.errors import WrongUse
from sectax.parts.installer import SetUpFailed
from tests.needs import needs

KEY = "a key that only these tests know"
EVENT = events.signed("published", KEY.encode(), "salt", events.payload(b"binary"))
SPOILED = events.Event("tlas", EVENT.token, EVENT.data)
NOT_GENUINE = {"isAuthorized": False, "reason": "the token is not genuine"}
needs_go = needs("Go")


def as_json(event: events.Event) -> dict[str, str]:
    return {"key": event.key, "token": event.token, "data": event.data}


def unpacked(language: str, folder: Path) -> Path:
    with zipfile.ZipFile(functions.build("hmac_authorizer", language)) as archive:
        archive.extractall(folder)
    return folder


def test_the_python_zip_runs_with_nothing_but_itself(tmp_path):
    code = (
        "import json, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from hmac_authorizer.handler import lambda_handler\n"
        "import msgpack\n"
        "print(json.dumps([msgpack.__file__, *[lambda_handler(event, None) for event in json.load(sys.stdin)]]))\n"
    )
    folder = unpacked("python", tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(folder)],
        env={"SHARED_KEY": KEY},
        input=json.dumps([as_json(EVENT), as_json(SPOILED)]),
        capture_output=True,
        text=True,
    )

    assert done.stderr == ""
    assert json.loads(done.stdout) == [str(folder / "msgpack/__init__.py"), {"isAuthorized": True}, NOT_GENUINE]


@needs_go
def test_the_go_zip_answers_over_the_runtime_api(tmp_path):
    waiting, answers = [as_json(EVENT), as_json(SPOILED)], []
    done, ended = threading.Event(), threading.Event()

    class RuntimeApi(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if not waiting:
                ended.wait()  # as Lambda does: the next event comes when it comes, here never
            body = json.dumps(waiting.pop(0)).encode() if waiting else b""
            self._send(200, body, {"Lambda-Runtime-Aws-Request-Id": "1", "Lambda-Runtime-Deadline-Ms": str(2**42)})

        def do_POST(self):
            answers.append(json.loads(self._body()))
            if not waiting:
                done.set()
            self._send(202, b"", {})

        def _body(self):
            if self.headers["Transfer-Encoding"] != "chunked":
                return self.rfile.read(int(self.headers["Content-Length"]))
            body = b""
            while length := int(self.rfile.readline(), 16):
                body += self.rfile.read(length)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _send(self, status, body, headers):
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    folder = unpacked("go", tmp_path)
    (folder / "bootstrap").chmod(0o755)  # zipfile forgets modes
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), RuntimeApi) as server:
        threading.Thread(target=server.serve_forever).start()
        address = f"127.0.0.1:{server.server_port}"
        try:
            with subprocess.Popen(
                [folder / "bootstrap"],
                env={"SHARED_KEY": KEY, "AWS_LAMBDA_RUNTIME_API": address},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            ) as function:
                came = done.wait(60)
                function.kill()
                said = function.communicate()[0]
        finally:
            ended.set()
            server.shutdown()

    assert came, said
    assert answers == [{"isAuthorized": True}, NOT_GENUINE]
    assert said == b""


@pytest.mark.more
@pytest.mark.parametrize("language", ["python", pytest.param("go", marks=needs_go)])
def test_the_same_sources_give_the_same_bytes(language, tmp_path, monkeypatch):
    digests = []
    for name in ("one", "other"):
        monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / name))
        built = functions.build("hmac_authorizer", language)
        digests.append((built.name, hashlib.sha256(built.read_bytes()).hexdigest()))
        assert os.listdir(built.parent) == [built.name]

    assert digests[0] == digests[1]


def test_a_zip_that_is_there_is_not_built_again(monkeypatch, tmp_path):
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path))
    built = functions.build("hmac_authorizer", "python")
    built.write_bytes(b"as it was")

    assert functions.build("hmac_authorizer", "python").read_bytes() == b"as it was"


def test_the_zip_can_be_read_by_everyone_and_names_what_lambda_calls():
    function = functions.load("hmac_authorizer", "python")
    with zipfile.ZipFile(functions.build("hmac_authorizer", "python")) as archive:
        names = archive.namelist()
        modes = {entry.external_attr >> 16 for entry in archive.infolist()}

    assert function.handler == "hmac_authorizer.handler.lambda_handler"
    assert {"hmac_authorizer/handler.py", "msgpack/__init__.py"} <= set(names)
    assert modes == {0o100755}
    assert not [name for name in names if "test" in name or name.endswith(".pyc")]


def test_without_go_the_reason_and_a_hint_are_given(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path))

    with pytest.raises(SetUpFailed, match="go is not installed") as raised:
        functions.build("hmac_authorizer", "go")
    assert "install Go" in raised.value.hint


@needs_go
def test_a_compiler_that_fails_is_quoted(monkeypatch, tmp_path):
    copy = tmp_path / "functions" / "hmac_authorizer"
    shutil.copytree(functions.load("hmac_authorizer", "go").folder, copy / "go")
    shutil.copy(functions.load("hmac_authorizer", "go").folder.parent / "function.toml", copy)
    (copy / "go" / "main.go").write_text("package main\n\nfunc main() { nonsense() }\n")
    monkeypatch.setattr(functions.cache, "bundled", lambda kind, name: copy)
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))

    with pytest.raises(SetUpFailed, match="undefined: nonsense"):
        functions.build("hmac_authorizer", "go")
    assert os.listdir(tmp_path / "cache" / "functions") == []


@pytest.mark.parametrize(("name", "language"), [("nonesuch", "go"), ("hmac_authorizer", "cobol")])
def test_what_does_not_exist_is_said_so(name, language):
    with pytest.raises(WrongUse, match=r"nonesuch|cobol"):
        functions.load(name, language)
