"""A probe that speaks the protocol, and a family of liars: `probe.py MODE`.

It offers `empty`, `sign` and `verify`; a token is `message.mac`, the key is the input `secret`. The MAC is a toy, for
the fake is started hundreds of times and loading OpenSSL takes longest. It imports nothing of sectax, as a stranger's
probe would.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from binascii import crc32

MODES = {
    "honest": "does everything right",
    "slow": "is honest, and every operation but empty takes 2 ms more",
    "late": "is honest, and waits 0.4 s before it measures for the first time",
    "dead-code": "takes the same time for any number of operations",
    "microseconds": "reports microseconds as nanoseconds",
    "picoseconds": "reports picoseconds as nanoseconds",
    "coarse-clock": "claims a fine clock, and reports whole milliseconds",
    "old": "speaks protocol 1.0, which knows no CPU time",
    "cpu-missing": "names a CPU clock and reports no CPU time",
    "cpu-above-wall": "reports four times the CPU time that it used",
    "cpu-zero": "reports no CPU time for real work",
    "cpu-settles": "counts the operations that settle in the CPU time",
    "cpu-wall": "reports wall time as CPU time",
    "dies": "exits with status 3 in the middle of the second measurement",
    "killed": "is killed by a signal in the middle of the second measurement",
    "garbage": "writes a warning to stdout before the reply to prepare",
    "floods": "writes without end, and no line break, in reply to prepare",
    "noisy": "writes 2 MB to stderr in every reply",
    "wrong-version": "speaks protocol 2",
    "any-version": "agrees to every version",
    "silent": "reads everything and answers nothing",
    "mute-measure": "answers everything but measure",
    "accepts-tampered": "accepts every token",
    "refuses-genuine": "refuses every token",
    "wrong-artefact": "signs with another key",
    "no-artefact": "shows nothing of what it signs",
    "wrong-seq": "echoes seq 0 always",
    "own-seq": "counts the requests itself instead of echoing seq",
    "stays": "answers stop and goes on running, whatever becomes of stdin",
    "bad-exit": "exits with status 7 at stop",
    "wrong-count": "runs one operation less than asked for",
    "hides-failures": "never reports a failure",
    "half-fails": "reports half of the operations as failed",
    "brittle": "dies of a line that is no JSON and of a command that it does not know",
    "short-lines": "reads only the first 64 KiB of a line",
    "no-empty": "offers no empty operation",
    "skips": "skips sign, for a library is missing",
    "fails": "fails prepare, and quotes the secret that it was given",
    "escapes": "writes terminal escapes into every text",
    "unprepared": "measures what was not prepared",
    "indiscreet": "witnesses its inputs",
}

READ = {"short-lines": 64 * 1024}


def mac(key: str, message: str) -> str:
    return f"{crc32(f'{key} {message}'.encode()):08x}"


class Refused(Exception):
    def __init__(self, status: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.answer = {"status": status, "reason": reason, "hint": hint}


class Probe:
    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.requests = 0
        self.measured = 0
        self.operation = None
        self.inputs: dict[str, str] = {}

    def serve(self) -> None:
        while line := sys.stdin.buffer.readline(READ.get(self.mode, -1)):
            if self.mode == "silent":
                continue
            self.requests += 1
            if self.mode == "noisy":
                sys.stderr.write("a line of noise\n" * 125_000)
            try:
                request = json.loads(line)
            except ValueError:
                if self.mode == "brittle":
                    raise
                self.reply(0, {"status": "failed", "reason": "no JSON"})
                continue
            try:
                answer = {"status": "ok", **self.answer(request)}
            except Refused as refused:
                answer = refused.answer
            self.reply(request["seq"], answer)
            if request["command"] == "stop":
                self.stop()

    def reply(self, seq: int, answer: dict[str, object]) -> None:
        seq = {"wrong-seq": 0, "own-seq": self.requests}.get(self.mode, seq)
        sys.stdout.write(json.dumps({"seq": seq} | answer) + "\n")
        sys.stdout.flush()

    def answer(self, request: dict) -> dict[str, object]:
        match request["command"]:
            case "hello":
                return self.hello(request["protocol"])
            case "prepare":
                return self.prepare(request)
            case "witness":
                return self.witness(request["present"])
            case "measure":
                return self.measure(request["count"], request["settle"], request["each"])
            case "stop":
                return {}
        if self.mode == "brittle":
            raise KeyError(request["command"])
        raise Refused("failed", "unknown command")

    def hello(self, protocol: int) -> dict[str, object]:
        spoken = {"wrong-version": 2, "any-version": protocol}.get(self.mode, 1)
        if protocol != spoken and self.mode != "wrong-version":
            raise Refused("failed", f"protocol {protocol} is not spoken here")
        offered = [{"name": "sign", "parameters": {"algorithm": ["TOY"]}}, {"name": "verify", "parameters": {}}]
        if self.mode != "no-empty":
            offered.append({"name": "empty", "parameters": {}})
        hello = {
            "protocol": spoken,
            "probe": {"name": "fake", "version": "1"},
            "runtime": {"name": "Python\x1b[31m" if self.mode == "escapes" else "Python", "version": "3"},
            "libraries": [{"name": "toy", "version": "3"}],
            "operations": offered,
            "clock": {"name": "perf_counter_ns", "granularity_ns": 50, "read_ns": 40},
        }
        if self.mode != "old":
            hello["cpu_clock"] = {"name": "process_time_ns", "granularity_ns": 100, "read_ns": 300}
        return hello

    def prepare(self, request: dict) -> dict[str, object]:
        self.inputs = request["inputs"]
        operations = {"empty": self.empty, "sign": self.sign, "verify": self.verify}
        if request["operation"] not in operations:
            raise Refused("failed", f"no operation {request['operation'][:40]}")
        if self.mode == "fails":
            sys.stderr.write(f"cannot parse {self.inputs.get('secret')}\n")
            raise Refused("failed", f"cannot parse {self.inputs.get('secret')}")
        if self.mode == "skips" and request["operation"] == "sign":
            raise Refused("skipped", "the library toy is missing", "apt install toy")
        if self.mode == "garbage":
            print("Warning: something in line 12")
        while self.mode == "floods":
            sys.stdout.write("x" * 65536)
        self.operation = operations[request["operation"]]
        witnesses = {"key_bits": 256, "note": "\x1b]0;title\x07" if self.mode == "escapes" else "plain"}
        if self.mode == "indiscreet":
            secret = self.inputs.get("secret", "")
            witnesses |= self.inputs | {"quoted": f"the key {secret} is fine", secret: "a name"}
        return {"witnesses": witnesses}

    def empty(self) -> bool:
        return True

    def sign(self) -> str:
        key = self.inputs["secret"] + ("?" if self.mode == "wrong-artefact" else "")
        return f"message.{mac(key, 'message')}"

    def verify(self) -> bool:
        return self.accepts(self.inputs["token"])

    def accepts(self, token: str) -> bool:
        if self.mode in ("accepts-tampered", "refuses-genuine"):
            return self.mode == "accepts-tampered"
        message, _, claimed = token.partition(".")
        return claimed == mac(self.inputs["secret"], message)

    def witness(self, present: list[str]) -> dict[str, object]:
        makes = self.operation == self.sign and self.mode != "no-artefact"
        accepted = [self.accepts(token) for token in present]
        witnesses = {"alg": "TOY"}
        if self.mode == "indiscreet":
            witnesses["piece"] = self.inputs.get("secret", "")[4:20]
        return {"artefact": self.sign() if makes else None, "accepted": accepted, "witnesses": witnesses}

    def measure(self, count: int, settle: int, each: bool) -> dict[str, object]:
        if self.operation is None:
            if self.mode != "unprepared":
                raise Refused("failed", "nothing was prepared")
            self.operation = self.empty
        self.measured += 1
        if self.measured == 1 and self.mode == "late":
            time.sleep(0.4)
        if self.measured == 2 and self.mode == "dies":
            sys.stderr.write("Fatal: out of cheese\n")
            sys.stderr.flush()
            os._exit(3)
        if self.measured == 2 and self.mode == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        while self.mode == "mute-measure":
            time.sleep(60)
        if self.mode == "wrong-count" and count > 1:
            count -= 1
        before = time.process_time_ns()
        self.run(settle)
        if self.mode != "cpu-settles":
            before = time.process_time_ns()
        if each:
            elapsed, failures = zip(*(self.run(1) for _ in range(count)), strict=True)
        else:
            single, failed = self.run(count)
            elapsed, failures = (single,), (failed,)
        cpu = time.process_time_ns() - before
        if self.mode == "hides-failures":
            failures = ()
        failures = count // 2 if self.mode == "half-fails" else sum(failures)
        answer = {"count": count, "elapsed_ns": [self.reported(one) for one in elapsed], "failures": failures}
        if not each and self.mode not in ("old", "cpu-missing"):
            lies = {"cpu-above-wall": 4 * cpu, "cpu-zero": 0, "cpu-wall": elapsed[0]}
            answer["cpu_ns"] = lies.get(self.mode, self.reported(cpu))
        return answer

    def run(self, count: int) -> tuple[int, int]:
        """Nanoseconds that so many operations took, and how many went wrong."""
        if self.mode == "dead-code":
            count = 1
        operation, good, slow = self.operation, 0, self.mode == "slow" and self.operation != self.empty
        began = time.perf_counter_ns()
        for _ in range(count):
            if operation():
                good += 1
            if slow:
                time.sleep(0.002)
        return time.perf_counter_ns() - began, count - good

    def reported(self, elapsed_ns: int) -> int:
        match self.mode:
            case "microseconds":
                return elapsed_ns // 1000
            case "picoseconds":
                return elapsed_ns * 1000
            case "coarse-clock":
                return elapsed_ns // 1_000_000 * 1_000_000
        return elapsed_ns

    def stop(self) -> None:
        while self.mode == "stays":
            time.sleep(60)
        sys.exit(7 if self.mode == "bad-exit" else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MODES:
        sys.exit(f"usage: probe.py MODE, one of {', '.join(MODES)}")
    Probe(sys.argv[1]).serve()
