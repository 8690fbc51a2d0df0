"""A third party's experiment, complete in one file. Each run has a server of its own: a process that runs this file."""

from __future__ import annotations

import http.client
import http.server
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from hashlib import pbkdf2_hmac

from sectax.experiments.interface import Bench, Design, Experiment, Machine, RunRequest
from sectax.experiments.levels import choose
from sectax.model.errors import SubjectFailed
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.model.treatment import Factor, Treatment

ITERATIONS = {"none": 0, "pbkdf2-100": 100, "pbkdf2-2000": 2000}


class PasswordExperiment(Experiment):
    name = "password"
    title = "What does it cost a web server to check a password?"
    factors = (Factor("check", tuple(ITERATIONS)),)

    def design(self, request: RunRequest, machine: Machine) -> Design:
        return Design(
            factors=choose(self.factors, {}, request.levels),
            control="check",
            baseline="none",
            metrics=(Metric("latency", "s", Better.LOWER, Summary.MEAN, observed="latency"),),
            transfers="It holds for this machine and Python's PBKDF2.",
            batch_s=0.005,
            rounds_range=(2, 4),
            warms_up=False,
            settles=False,
        )

    def bench(self, plan: Plan) -> PasswordBench:
        return PasswordBench(plan)


class PasswordBench(Bench):
    def inputs(self) -> dict[str, str]:
        return {"password": secrets.token_urlsafe(16)}

    def start(self, inputs: Mapping[str, str]) -> None:
        pipe = subprocess.PIPE
        server = self.enter_context(subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True))
        print(inputs["password"], file=server.stdin, flush=True)
        self.port = int(server.stdout.readline())

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> Visitor:
        return Visitor(self.port, ITERATIONS[treatment.levels["check"]], inputs["password"])


class Visitor:
    """Asks again and again over one connection, and times the answers: a spec, whose copies are the subjects."""

    def __init__(self, port: int, iterations: int, password: str) -> None:
        self.first, self._words = (), (port, iterations, password)
        self._iterations, self._password = iterations, password
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def subject(self) -> Visitor:
        return Visitor(*self._words)

    def start(self) -> None: ...

    def open(self) -> Witnesses:
        self._ask("wrong", 403 if self._iterations else 200)  # nothing is timed that does not do its work
        return {"iterations": self._iterations}

    def visit(self, work: Work) -> Visit:
        began = time.perf_counter()
        for _ in range(work.count + work.extra):
            self._ask(self._password, 200)
        return Visit((Observation("latency", time.perf_counter() - began, "s", "monotonic", work.count),))

    def close(self) -> Witnesses:
        self.kill()
        return {}

    def kill(self) -> None:
        self._connection.close()

    def _ask(self, password: str, wanted: int) -> None:
        try:
            self._connection.request("GET", f"/{self._iterations}", headers={"Authorization": password})
            with self._connection.getresponse() as answer:
                answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise SubjectFailed(f"the server does not answer: {error}") from error
        if answer.status != wanted:
            raise SubjectFailed(f"the server answered {answer.status}, not {wanted}")


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version, password = "HTTP/1.1", ""

    def do_GET(self) -> None:
        texts, iterations = (self.headers["Authorization"], self.password), int(self.path[1:])
        hashes = {pbkdf2_hmac("sha256", text.encode(), b"salt", iterations) for text in texts if iterations}
        self.send_response_only(200 if len(hashes) < 2 else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()


EXPERIMENT = PasswordExperiment()

if __name__ == "__main__":
    Server.password, server = input(), http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()  # it ends with the bench, or with sectax, however that ended
