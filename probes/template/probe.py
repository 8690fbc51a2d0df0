"""A whole probe in one file, to copy and change: it measures `sign` and `verify` of HS256 with Python's own hmac.

It speaks the probe protocol (probes/PROTOCOL.md: JSON lines in on stdin, out on stdout, the log on stderr), and needs
nothing but Python. In another language, translate it from top to bottom, and keep these parts apart:

- `Sign` and `Verify` are the work; `run()` is what is timed. Yours go here.
- `prepare()` makes one of them ready from what sectax sends, outside the timed region.
- `together()` and `one_by_one()` have the clocks and the loop. There is nothing else between the clocks.
- `answer()` and `main()` are the conversation, the same for every probe.

`sectax probe check 'python3 probe.py'` says what is wrong. What a probe does not offer it answers with `skipped`: other
algorithms, layers and operations. It may leave out `cpu_clock` and `cpu_ns` too; then its operations are compared in wall
time.
"""

import base64
import hashlib
import hmac
import json
import platform
import sys
import time

PARAMETERS = {"algorithm": ["HS256"], "layer": ["primitive"], "key_use": ["parsed-once"]}
OPERATIONS = {"empty": {}, "sign": PARAMETERS, "verify": PARAMETERS}


class Refused(Exception):
    """Ends a request, not the probe. `skipped`: this probe does not offer it. `failed`: something is wrong with it."""


# The work. An object is made by `prepare`; its run() is timed, and returns what it made, or None where that is wrong.


class Empty:
    """What the loop and the call cost by themselves."""

    witnesses = {}  # what `prepare` read back from the real thing

    def run(self):
        return b""

    def artefact(self):  # a fresh product of run(), where it makes something
        return None

    def accepts(self, token):  # whether run(), or its counterpart, finds this token genuine
        return False

    def read_back(self, artefact):  # what can be read off the artefact, or off the inputs
        return {}


class Verify(Empty):
    """The signature of `token` over its signing input."""

    def __init__(self, secret, token):
        self.secret, self.token = secret, token
        signing_input, _, signature = token.rpartition(".")
        self.signing_input, self.signature = signing_input.encode(), decode(signature)
        self.witnesses = describe(secret)

    def run(self):
        genuine = hmac.digest(self.secret, self.signing_input, hashlib.sha256)
        return b"" if hmac.compare_digest(genuine, self.signature) else None

    def accepts(self, token):
        try:
            return Verify(self.secret, token).run() is not None
        except (Refused, UnicodeEncodeError):  # it cannot even be read
            return False

    def read_back(self, artefact):
        return {"alg": algorithm_of(self.token)}


class Sign(Verify):
    """A signature over `signing_input`. What accepts is its counterpart, inherited from `Verify`."""

    def __init__(self, secret, signing_input):
        self.secret, self.signing_input = secret, signing_input.encode()
        self.witnesses = describe(secret)

    def run(self):
        return hmac.digest(self.secret, self.signing_input, hashlib.sha256)

    def artefact(self):
        """A complete token, which sectax has checked by an implementation of its own."""
        return f"{self.signing_input.decode()}.{encode(self.run())}"

    def read_back(self, artefact):
        return {"alg": algorithm_of(artefact)}


def describe(secret):
    """What is read back from the real key, never what was asked for."""
    return {"key_type": "oct", "key_bits": 8 * len(secret), "implementation": "hmac"}


def algorithm_of(token):
    return json.loads(decode(token.partition(".")[0]))["alg"]


def text_of(inputs, name):
    if not isinstance(inputs.get(name), str) or not inputs[name]:
        raise Refused("failed", f"input {name} is missing")  # named, never quoted: it may be a key
    return inputs[name]


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text):
    """Base64url in its one spelling: two spellings of a signature would be two tokens."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError as error:
        raise Refused("failed", "this is not base64url") from error
    if encode(data) != text:
        raise Refused("failed", "this is not base64url in its one spelling")
    return data


def prepare(request):
    """The operation that is asked for, ready to be timed."""
    operation, parameters, inputs = request["operation"], request["parameters"], request["inputs"]
    offered = OPERATIONS.get(operation)
    if offered is None:
        raise Refused("failed", f"unknown operation {operation}; there are {', '.join(OPERATIONS)}")
    for name, values in offered.items():
        if parameters.get(name) not in values:
            raise Refused("skipped", f"{name}={parameters.get(name)} is not offered, only {', '.join(values)}")
    if operation == "empty":
        return Empty()
    secret = decode(text_of(inputs, "secret"))
    return (
        Sign(secret, text_of(inputs, "signing_input"))
        if operation == "sign"
        else Verify(secret, text_of(inputs, "token"))
    )


# The clocks and the loop.


def together(run, count):
    """Time *count* operations as one batch. The CPU clock is read outside, since a reading of it takes longer."""
    failures = made = 0
    cpu_before = time.process_time_ns()
    before = time.perf_counter_ns()
    for _ in range(count):
        product = run()
        if product is None:
            failures += 1
        else:
            made += len(product)
    after = time.perf_counter_ns()
    cpu_after = time.process_time_ns()
    return [after - before], failures, made, cpu_after - cpu_before


def one_by_one(run, count):
    """Time each of *count* operations; its result is looked at after the clock was read."""
    failures = made = 0
    elapsed = [0] * count
    for i in range(count):
        before = time.perf_counter_ns()
        product = run()
        elapsed[i] = time.perf_counter_ns() - before
        if product is None:
            failures += 1
        else:
            made += len(product)
    return elapsed, failures, made, None


def clock(name, read):
    """What a clock is worth: its smallest step above zero, and the median cost of a reading."""
    steps = []
    for _ in range(1000):
        before = read()
        steps.append(read() - before)
    moved = [step for step in steps if step > 0]
    return {"name": name, "granularity_ns": min(moved), "read_ns": max(1, sorted(steps)[500])}


# The conversation.


def hello(request):
    if request["protocol"] != 1:
        raise Refused("failed", f"this probe speaks protocol 1, not {request['protocol']}")
    return {
        "protocol": 1,
        "probe": {"name": "template", "version": "1"},
        "runtime": {"name": platform.python_implementation(), "version": platform.python_version()},
        "libraries": [{"name": "hmac", "version": platform.python_version()}],
        "operations": [{"name": name, "parameters": parameters} for name, parameters in OPERATIONS.items()],
        "clock": clock("perf_counter_ns", time.perf_counter_ns),
        "cpu_clock": clock("process_time_ns", time.process_time_ns),
    }


def answer(request, state):
    """The members of the reply. `state` holds the one operation that is live."""
    command = request["command"]
    if command == "hello":
        return hello(request)
    if command == "prepare":
        state["subject"] = None  # whatever comes of this request, the operation before it must not be measured for it
        state["subject"] = prepare(request)
        return {"witnesses": state["subject"].witnesses}
    if command == "stop":
        return {}
    subject = state["subject"]
    if command in ("witness", "measure") and subject is None:
        raise Refused("failed", "nothing is prepared")
    if command == "witness":
        artefact = subject.artefact()
        accepted = [subject.accepts(token) for token in request["present"]]
        return {"witnesses": subject.read_back(artefact), "artefact": artefact, "accepted": accepted}
    if command == "measure":
        timed = one_by_one if request.get("each") else together
        timed(subject.run, request.get("settle", 0))
        elapsed, failures, made, cpu = timed(subject.run, request["count"])
        reply = {"count": request["count"], "elapsed_ns": elapsed, "failures": failures}
        return reply | {"bytes": made or None, "cpu_ns": cpu}
    raise Refused("failed", f"unknown command {command}")


def main():
    state = {"subject": None}
    for line in sys.stdin:
        request = {}
        try:
            request = json.loads(line)
            reply = {"status": "ok"} | answer(request, state)
        except Refused as refused:
            reply = dict(zip(("status", "reason"), refused.args))
        except Exception as error:  # an ordinary answer too: the probe goes on
            reply = {"status": "failed", "reason": f"{type(error).__name__}: {error}"}
        seq = request.get("seq") if isinstance(request, dict) else None
        print(json.dumps({"seq": seq} | reply), flush=True)
        if reply["status"] == "ok" and request["command"] == "stop":
            return


if __name__ == "__main__":
    main()
