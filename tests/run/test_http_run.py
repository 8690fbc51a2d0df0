"""Runs of the experiment `http` against real servers, as a user starts them."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sectax.experiments.client_server.certificates import self_signed_loopback
from sectax.experiments.client_server.server import free_port
from tests.fakes.http_service import HttpService, said, secured_by
from tests.needs import needs
from tests.program import Said, sectax
from tests.run.sessions import begin, shown, wait_for_block

pytestmark = needs("the HTTP client in Go")

SERVE = f"{shlex.quote(sys.executable)} -m http.server --bind 127.0.0.1 $PORT"
STARTED = "http://127.0.0.1:$PORT/page.txt"
SERVED = ("--baseline", STARTED, "--treatment", f"new={STARTED}", "--start", f"baseline={SERVE}")


def slow() -> tuple[bytes]:
    time.sleep(0.02)
    return (said(),)


@pytest.fixture
def service() -> Iterator[HttpService]:
    with HttpService({"/": said(), "/slow": slow, "/other": said(b"other"), "/moved": said(b"", "301 Moved")}) as one:
        yield one


def run(folder: Path, *words: str) -> Said:
    return sectax("run", "http", *words, "--blocks", "6", "--out", "r.sectax", folder=folder, timeout=200)


def treatments(folder: Path) -> dict[str, dict[str, Any]]:
    """Those that were compared, by the names of their services."""
    asked = [one for one in shown(folder)["treatments"] if one["role"] in ("baseline", "treatment")]
    return {one["levels"]["service"]: one for one in asked}


def estimate(of: dict[str, Any], metric: str) -> float:
    return next(float(one["estimate"]["point"]) for one in of["estimates"] if one["metric"] == metric)


def test_two_urls_are_compared(tmp_path: Path, service: HttpService) -> None:
    ran = run(tmp_path, service.url(), f"--treatment=slow={service.url('/slow')}")

    assert ran.status == 0, ran.err
    compared = treatments(tmp_path)
    assert {one["blocks"] for one in compared.values()} == {6}
    assert estimate(compared["slow"], "latency") >= 0.02
    assert 0 < estimate(compared["slow"], "throughput") <= 50
    lengths = {len(head) for head in service.heard if " /slow " in head}
    assert estimate(compared["slow"], "sent_bytes") == lengths.pop() + 2 * 4 - 2


def test_no_secret_is_recorded_or_shown(tmp_path: Path, service: HttpService) -> None:
    secrets = ("pass-word-1", "tick-et-2", "be-arer-3", "in-a-file-4")
    (tmp_path / "headers").write_text(f"X-Api-Key: {secrets[3]}\n")
    ran = run(
        tmp_path,
        service.url("/?token=" + secrets[1]).replace("://", f"://somebody:{secrets[0]}@"),
        service.url("/?token=" + secrets[1]),
        *("-H", f"Authorization: Bearer {secrets[2]}", "--header", "@headers"),
    )

    assert ran.status == 0, ran.err
    kept = (tmp_path / "r.sectax").read_bytes()
    everything = sectax("report", "r.sectax", "--format", "html", folder=tmp_path).out + ran.out + ran.err
    assert not [secret for secret in secrets if secret.encode() in kept or secret in everything]
    assert f"127.0.0.1:{service.port}/?token=…".encode() in kept
    assert f"Authorization: Bearer {secrets[2]}" in service.heard[-1].splitlines()
    assert f"X-Api-Key: {secrets[3]}" in service.heard[-1].splitlines()


@pytest.mark.parametrize(
    ("path", "options", "status"),
    [
        ("/other", (), 3),
        ("/other", ("--bodies-differ",), 0),
        ("/moved", (), 3),
        ("/moved", ("--status=new=301", "--bodies-differ"), 0),
        ("/nowhere", (), 3),
    ],
)
def test_undeclared_answers_are_failures(
    path: str, options: tuple[str, ...], status: int, tmp_path: Path, service: HttpService
) -> None:
    ran = run(tmp_path, service.url(), f"--treatment=new={service.url(path)}", *options)

    assert ran.status == status, ran.err
    if status:
        assert "http (new, GET)" in ran.out


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_servers_are_started_and_ended(fresh: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("a page")
    ran = run(tmp_path, *SERVED, "--start", f"new={SERVE}", *fresh)

    assert ran.status == 0, ran.err
    assert {one["blocks"] for one in treatments(tmp_path).values()} == {6}


def test_new_connections_over_tls_carry_more_bytes(tmp_path: Path) -> None:
    certificate, key = self_signed_loopback()
    with HttpService({"/": said()}, secured=secured_by(certificate, key, tmp_path)) as service:
        ran = run(tmp_path, service.url(), service.url(), "--ca", "server.pem", "--level", "connection=kept,new")

    assert ran.status == 0, ran.err
    treatments = shown(tmp_path)["treatments"]
    baselines = {one["levels"]["connection"]: one for one in treatments if one["role"] == "baseline"}
    assert estimate(baselines["new"], "received_bytes") > estimate(baselines["kept"], "received_bytes") + 500


def test_a_server_that_is_killed_in_the_middle_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("a page")
    words = (*SERVED, "--start", f"new=sh -c 'echo $$ > pid; exec {SERVE}'", "--blocks", "400", "--out", "r.sectax")
    process = begin(tmp_path, "run", "http", *words)
    wait_for_block(tmp_path, process, 1)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    _, err = process.communicate(timeout=150)

    assert process.returncode == 3
    assert "server of new" in err
    # What was measured before is kept.
    assert sectax("show", "r.sectax", folder=tmp_path).status == 0


NGINX = """
worker_processes 1; daemon off; error_log stderr; pid {folder}/pid;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; ssl_session_cache off; ssl_session_tickets off;
  ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{plain} ssl http2; location / {{ return 200 "a page"; }} }}
  server {{
    listen 127.0.0.1:{mutual} ssl http2; ssl_client_certificate {folder}/own.pem; ssl_verify_client on;
    location / {{ return 200 "a page"; }}
  }}
}}
"""


@needs("nginx")
@pytest.mark.parametrize("protocol", ["http1", "http2"])
def test_client_certificates_are_compared_with_none(protocol: str, tmp_path: Path) -> None:
    for name in ("server", "own"):
        certificate, key = self_signed_loopback()
        (tmp_path / f"{name}.pem").write_text(certificate)
        (tmp_path / f"{name}.key").write_text(key)
    plain, mutual = free_port(), free_port()
    (tmp_path / "conf").write_text(NGINX.format(folder=tmp_path, plain=plain, mutual=mutual))
    server = subprocess.Popen(["/usr/sbin/nginx", "-p", str(tmp_path), "-c", f"{tmp_path}/conf"])
    try:
        wait_for(mutual)
        urls = (f"https://127.0.0.1:{plain}/", f"--treatment=mutual=https://127.0.0.1:{mutual}/")
        own = ("--cert", "mutual=own.pem", "--key", "mutual=own.key", "--level", f"protocol={protocol}")
        ran = run(tmp_path, *urls, "--ca", "server.pem", *own, "--level", "connection=new")
    finally:
        server.terminate()  # a master that is killed leaves its worker behind
        server.wait()

    assert ran.status == 0, ran.err
    treatments = shown(tmp_path)["treatments"]
    seen = {(one["levels"]["connection"], one["levels"]["service"]): one for one in treatments}
    for (_, service), one in seen.items():
        assert one["witnesses"]["client_certificate"] is (service == "mutual")
        assert one["witnesses"]["protocol"] == ("HTTP/2.0" if protocol == "http2" else "HTTP/1.1")
    # The client's certificate and its signature go over the wire once for every new connection.
    sent = {place: estimate(one, "sent_bytes") for place, one in seen.items() if one["role"] != "negative"}
    assert sent["new", "mutual"] > sent["new", "baseline"] + 400


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 10).close()
        except ConnectionError:
            assert time.monotonic() < deadline
            time.sleep(0.02)
