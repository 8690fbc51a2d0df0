"""Does the program keep to the protocol? Greeting, refusing, going on, stopping; nothing is timed here."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from sectax.experiments.on_probe.checks import Check, CheckFailed
from sectax.experiments.on_probe.conversation import ProbeProgram
from sectax.hosts.process.errors import ChildSilent, describe_exit
from sectax.protocol.messages import HelloReply, MeasureReply, PrepareReply, Reply, StopReply
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped, ProbeSession, ProtocolViolation, ReplyRule
from sectax.text.printable import printable

_ODD_SEQ = 4711  # a probe that counts by itself instead of echoing will not guess it
_UNHEARD_OF = "sectax-no-such-thing"
_OTHER_VERSION = 999
# Longer than the buffer that a language's line reader has by default (64 KiB in Go's bufio.Scanner).
_LONG_LINE = 1024 * 1024
_QUOTED = 120
_HELLO_HINT = "PROTOCOL.md and schemas/hello-reply.json say what the reply must hold"
# A reply to the malformed line, and the one that is waited for; a little noise besides.
_LINES_AFTER_MALFORMED = 5


def _hello_answers(program: ProbeProgram) -> str:
    with program.start() as interview:
        try:
            hello = interview.hello()
        except ProtocolViolation as violation:
            if violation.rule in (ReplyRule.SEQ, ReplyRule.EMPTY_OFFERED):  # checks of their own name these
                return "it answers"
            raise CheckFailed(f"its reply to hello is not as it must be: {violation}", _HELLO_HINT) from violation
    probe, runtime = hello.probe, hello.runtime
    return printable(f"probe {probe.name} {probe.version} on {runtime.name} {runtime.version}", _QUOTED)


def _seq_echoed(program: ProbeProgram) -> str:
    with program.start(first_seq=_ODD_SEQ) as interview:
        try:
            interview.hello()
        except ProtocolViolation as violation:
            if violation.rule is ReplyRule.SEQ:
                raise CheckFailed(str(violation)) from violation
            if violation.rule is not ReplyRule.EMPTY_OFFERED:
                raise
    return f"seq {_ODD_SEQ} came back"


def _empty_offered(program: ProbeProgram) -> str:
    with program.start() as interview:
        try:
            interview.hello()
        except ProtocolViolation as violation:
            raise CheckFailed(str(violation)) from violation
        interview.prepare("empty", {}, {})
        interview.measure(1)
    return "empty is offered, and runs"


def _version_refused(program: ProbeProgram) -> str:
    with program.start() as interview:
        try:
            answer = "answered with protocol"
            reply = interview.exchange(interview.session.hello(_OTHER_VERSION), HelloReply)
            answer += f" {reply.protocol}"
        except AnsweredFailed:
            interview.hello()
            return f"protocol {_OTHER_VERSION} is refused, and the next hello answered"
        except AnsweredSkipped:
            answer = "answered with skipped"
        except ProtocolViolation as violation:
            answer = f"was not answered with failed: {violation}"
    raise CheckFailed(f"a hello with protocol {_OTHER_VERSION} {answer}")


def _unknown_members_ignored(program: ProbeProgram) -> str:
    with program.start() as interview:
        request = interview.session.hello().rstrip(b"}\n") + b', "sectax_unknown": {"a": [1, null]}}\n'
        interview.exchange(request, HelloReply)
    return "a member that it cannot know did no harm"


def _malformed_line_survived(program: ProbeProgram) -> str:
    with program.start() as interview:
        deadline = time.monotonic() + program.patience_s
        interview.child.send(b'{"seq": 1, "command"\n' + interview.session.hello(), deadline)
        # It may answer the malformed line with failed, under any seq, or pass over it.
        for lines_left in reversed(range(_LINES_AFTER_MALFORMED)):
            line = interview.child.receive_line(deadline)
            try:
                interview.session.receive(line, HelloReply)
                break
            except ProtocolViolation:
                if not lines_left:
                    raise
    return "a line that is no JSON did no harm"


def _counts_honoured(program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as interview:
        for count, settle, each in ((1, 0, False), (7, 3, False), (7, 0, True), (1000, 10, True)):
            try:
                reply = interview.measure(count, settle, each)
            except ProtocolViolation as violation:
                asked = f"count {count}, settle {settle}, each {str(each).lower()}"
                raise CheckFailed(f"{violation} ({asked})") from violation
            if reply.failures:
                raise CheckFailed(f"{reply.failures} of {count} empty operations are said to have failed")
    return "as many operations and timings came as were asked for"


def _stdout_clean(program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as interview:
        interview.measure(10)
        interview.stop()
        interview.read_to_end()
        noise = interview.noise
    if noise:
        raise CheckFailed(
            f"{len(noise)} lines on stdout were no replies, the first: '{printable(noise[0].rstrip(), _QUOTED)}'"
        )
    return "nothing but replies came on stdout"


def _stops_in_time(program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as interview:
        interview.stop()
        began = time.monotonic()
        try:
            status = interview.child.wait(began + program.patience_s)
        except ChildSilent as error:
            raise CheckFailed(f"it still ran {error.seconds:.1f} s after its reply to stop") from error
        seconds = time.monotonic() - began
    if status != 0:
        raise CheckFailed(f"it ended with {describe_exit(status)} instead of 0")
    return f"it exited with status 0 within {seconds:.2g} s"


def _eof_exits(program: ProbeProgram) -> str:
    with program.start() as interview:
        interview.hello()
        interview.child.close_stdin()
        try:
            interview.child.wait(time.monotonic() + program.patience_s)
        except ChildSilent as error:
            raise CheckFailed(f"it still ran {error.seconds:.1f} s after the end of its stdin") from error
    return "it exited at the end of its stdin"


def _refuses(
    what: str, kind: type[Reply], request: Callable[[ProbeSession], bytes], satisfied: str = ""
) -> Callable[[ProbeProgram], str]:
    """A check that a request that cannot be met is refused, and the probe goes on."""

    def check(program: ProbeProgram) -> str:
        with program.start() as interview:
            interview.hello()
            with contextlib.suppress(AnsweredFailed, AnsweredSkipped):
                interview.exchange(request(interview.session), kind)
                raise CheckFailed(f"{what} was answered with ok")
            interview.prepare("empty", {}, {})
        return satisfied or f"{what} is refused, and the probe goes on"

    return check


_unprepared = _refuses("a measure before any prepare", MeasureReply, lambda session: session.measure(1))
_unknown_operation = _refuses(
    "an unknown operation", PrepareReply, lambda session: session.prepare(_UNHEARD_OF, {}, {})
)
# The session knows no unknown command, so it is made of a known one.
_unknown_command = _refuses(
    "an unknown command", StopReply, lambda session: session.stop().replace(b"stop", _UNHEARD_OF.encode())
)
_long_line = _refuses(
    "an unknown operation with 1 MiB of input",
    PrepareReply,
    lambda session: session.prepare(_UNHEARD_OF, {}, {"filler": "é" * (_LONG_LINE // 2)}),
    "a request of 1 MiB was read",
)

# Where one of these fails, nothing else can be said.
GREETING = (
    Check("hello-answers", _hello_answers, "answer every line on stdin with one line on stdout, and flush it"),
    Check("seq-echoed", _seq_echoed, "copy seq from the request into its reply"),
    Check("empty-offered", _empty_offered, "offer the operation empty: a call of a function that does nothing"),
)

PROTOCOL = (
    Check("version-refused", _version_refused, "answer failed to a protocol that the probe does not speak"),
    Check("unknown-members-ignored", _unknown_members_ignored, "ignore members that the probe does not know"),
    Check("unprepared-refused", _unprepared, "answer failed where nothing was prepared"),
    Check("unknown-operation-answered", _unknown_operation, "answer skipped or failed, and go on"),
    Check("unknown-command-answered", _unknown_command, "answer failed, and go on"),
    Check("malformed-line-survived", _malformed_line_survived, "answer failed or pass over the line, and go on"),
    Check("long-line-read", _long_line, "read whole lines of up to 16 MiB"),
    Check("counts-honoured", _counts_honoured, "run exactly count operations, after exactly settle untimed ones"),
    Check("stdout-clean", _stdout_clean, "send logs, warnings and prompts to stderr"),
    Check("stops-in-time", _stops_in_time, "exit with status 0 after the reply to stop"),
    Check("eof-exits", _eof_exits, "exit at the end of stdin: sectax may have been killed"),
)
