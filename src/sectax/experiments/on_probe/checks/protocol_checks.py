"""Checks of the protocol: greeting, refusals, recovery, stopping."""

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

_ODD_SEQ = 4711  # detects probes that count by themselves
_UNHEARD_OF = "sectax-no-such-thing"
_OTHER_VERSION = 999
# Longer than the default buffer of line readers (64 KiB in Go's bufio.Scanner).
_LONG_LINE = 1024 * 1024
_QUOTED = 120
_HELLO_HINT = "see PROTOCOL.md and schemas/hello-reply.json"
# A reply to the malformed line, the expected reply, and some noise.
_LINES_AFTER_MALFORMED = 5


def _hello_answers(program: ProbeProgram) -> str:
    with program.start() as conversation:
        try:
            hello = conversation.hello()
        except ProtocolViolation as violation:
            if violation.rule in (ReplyRule.SEQ, ReplyRule.EMPTY_OFFERED):  # these have their own checks
                return "it replies"
            raise CheckFailed(f"its reply to hello is invalid: {violation}", _HELLO_HINT) from violation
    probe, runtime = hello.probe, hello.runtime
    return printable(f"probe {probe.name} {probe.version} on {runtime.name} {runtime.version}", _QUOTED)


def _seq_echoed(program: ProbeProgram) -> str:
    with program.start(first_seq=_ODD_SEQ) as conversation:
        try:
            conversation.hello()
        except ProtocolViolation as violation:
            if violation.rule is ReplyRule.SEQ:
                raise CheckFailed(str(violation)) from violation
            if violation.rule is not ReplyRule.EMPTY_OFFERED:
                raise
    return f"seq {_ODD_SEQ} was echoed"


def _empty_offered(program: ProbeProgram) -> str:
    with program.start() as conversation:
        try:
            conversation.hello()
        except ProtocolViolation as violation:
            raise CheckFailed(str(violation)) from violation
        conversation.prepare("empty", {}, {})
        conversation.measure(1)
    return "empty is offered and runs"


def _version_refused(program: ProbeProgram) -> str:
    with program.start() as conversation:
        try:
            answer = "answered with protocol"
            reply = conversation.exchange(conversation.session.hello(_OTHER_VERSION), HelloReply)
            answer += f" {reply.protocol}"
        except AnsweredFailed:
            conversation.hello()
            return f"protocol {_OTHER_VERSION} is refused, and the next hello is answered"
        except AnsweredSkipped:
            answer = "answered with skipped"
        except ProtocolViolation as violation:
            answer = f"was not answered with failed: {violation}"
    raise CheckFailed(f"a hello with protocol {_OTHER_VERSION} {answer}")


def _unknown_members_ignored(program: ProbeProgram) -> str:
    with program.start() as conversation:
        request = conversation.session.hello().rstrip(b"}\n") + b', "sectax_unknown": {"a": [1, null]}}\n'
        conversation.exchange(request, HelloReply)
    return "an unknown member is ignored"


def _malformed_line_survived(program: ProbeProgram) -> str:
    with program.start() as conversation:
        deadline = time.monotonic() + program.patience_s
        conversation.child.send(b'{"seq": 1, "command"\n' + conversation.session.hello(), deadline)
        # It may reply failed to the malformed line, with any seq, or ignore it.
        for lines_left in reversed(range(_LINES_AFTER_MALFORMED)):
            line = conversation.child.receive_line(deadline)
            try:
                conversation.session.receive(line, HelloReply)
                break
            except ProtocolViolation:
                if not lines_left:
                    raise
    return "it continues after a line that is not JSON"


def _counts_honoured(program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as conversation:
        for count, settle, each in ((1, 0, False), (7, 3, False), (7, 0, True), (1000, 10, True)):
            try:
                reply = conversation.measure(count, settle, each)
            except ProtocolViolation as violation:
                raise CheckFailed(
                    f"{violation} (count {count}, settle {settle}, each {str(each).lower()})"
                ) from violation
            if reply.failures:
                raise CheckFailed(f"it reported {reply.failures} failures in {count} empty operations")
    return "operations and timings have the requested counts"


def _stdout_clean(program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as conversation:
        conversation.measure(10)
        conversation.stop()
        conversation.read_to_end()
        noise = conversation.noise
    if noise:
        raise CheckFailed(
            f"{len(noise)} lines on stdout are not replies; the first: '{printable(noise[0].rstrip(), _QUOTED)}'"
        )
    return "stdout has only replies"


def _stops_in_time(program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as conversation:
        conversation.stop()
        start = time.monotonic()
        try:
            status = conversation.child.wait(start + program.patience_s)
        except ChildSilent as error:
            raise CheckFailed(f"it still ran {error.seconds:.1f} s after its reply to stop") from error
        seconds = time.monotonic() - start
    if status != 0:
        raise CheckFailed(f"it exited with {describe_exit(status)} instead of 0")
    return f"it exited with status 0 within {seconds:.2g} s"


def _eof_exits(program: ProbeProgram) -> str:
    with program.start() as conversation:
        conversation.hello()
        conversation.child.close_stdin()
        try:
            conversation.child.wait(time.monotonic() + program.patience_s)
        except ChildSilent as error:
            raise CheckFailed(f"it still ran {error.seconds:.1f} s after the end of its stdin") from error
    return "it exited at the end of its stdin"


def _refuses(
    what: str, kind: type[Reply], request: Callable[[ProbeSession], bytes], satisfied: str = ""
) -> Callable[[ProbeProgram], str]:
    """Return a check that an impossible request is refused and the probe continues."""

    def check(program: ProbeProgram) -> str:
        with program.start() as conversation:
            conversation.hello()
            with contextlib.suppress(AnsweredFailed, AnsweredSkipped):
                conversation.exchange(request(conversation.session), kind)
                raise CheckFailed(f"{what} was answered with ok")
            conversation.prepare("empty", {}, {})
        return satisfied or f"{what} is refused, and the probe continues"

    return check


_unprepared = _refuses("a measure before any prepare", MeasureReply, lambda session: session.measure(1))
_unknown_operation = _refuses(
    "an unknown operation", PrepareReply, lambda session: session.prepare(_UNHEARD_OF, {}, {})
)
# Made from a known command, since the session has no unknown ones.
_unknown_command = _refuses(
    "an unknown command", StopReply, lambda session: session.stop().replace(b"stop", _UNHEARD_OF.encode())
)
_long_line = _refuses(
    "an unknown operation with 1 MiB of input",
    PrepareReply,
    lambda session: session.prepare(_UNHEARD_OF, {}, {"filler": "é" * (_LONG_LINE // 2)}),
    "a request of 1 MiB was read",
)

# If one of these fails, no other check can be judged.
GREETING = (
    Check("hello-answers", _hello_answers, "answer each line on stdin with one line on stdout, and flush it"),
    Check("seq-echoed", _seq_echoed, "copy seq from the request into its reply"),
    Check("empty-offered", _empty_offered, "offer the operation empty: a call of a function that does nothing"),
)

PROTOCOL = (
    Check("version-refused", _version_refused, "answer failed to an unsupported protocol version"),
    Check("unknown-members-ignored", _unknown_members_ignored, "ignore unknown members"),
    Check("unprepared-refused", _unprepared, "answer failed if nothing is prepared"),
    Check("unknown-operation-answered", _unknown_operation, "answer skipped or failed, and continue"),
    Check("unknown-command-answered", _unknown_command, "answer failed, and continue"),
    Check("malformed-line-survived", _malformed_line_survived, "answer failed or ignore the line, and continue"),
    Check("long-line-read", _long_line, "read whole lines of up to 16 MiB"),
    Check("counts-honoured", _counts_honoured, "run exactly count operations, after exactly settle untimed ones"),
    Check("stdout-clean", _stdout_clean, "send logs, warnings and prompts to stderr"),
    Check("stops-in-time", _stops_in_time, "exit with status 0 after the reply to stop"),
    Check("eof-exits", _eof_exits, "exit at the end of stdin: sectax may have been killed"),
)
