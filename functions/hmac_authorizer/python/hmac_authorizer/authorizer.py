"""From the event to the answer, in the order in which it is safe: form, token, and only then what the data hold."""

from __future__ import annotations

import time
from collections.abc import Callable

from hmac_authorizer import event as events
from hmac_authorizer import payload as payloads
from hmac_authorizer.refusal import NOT_CHECKED, NOT_GENUINE, Answer, Refused, refused
from hmac_authorizer.settings import Settings

Clock = Callable[[], float]
Handler = Callable[[object, object], Answer]


def handler(settings: Settings, now: Clock = time.time) -> Handler:
    """What Lambda calls, chosen once: an invocation asks no more what was set.

    Args:
        now: seconds since 1970, for the expiry.
    """
    if settings.immediate:
        return lambda event, context: refused(NOT_CHECKED)
    steps = Steps(settings, now)
    # Only a checked event is authorized: a baseline that was left deployed must let nobody in.
    authorized: Answer = {"isAuthorized": True} if settings.checks else refused(NOT_CHECKED)
    if settings.anatomy:

        def answer_with_anatomy(event: object, context: object) -> Answer:
            try:
                return authorized | {"anatomy": steps.timed(event)}
            except Refused as refusal:
                return refused(str(refusal))

        return answer_with_anatomy

    def answer(event: object, context: object) -> Answer:
        try:
            steps.take(event)
        except Refused as refusal:
            return refused(str(refusal))
        return authorized

    return answer


class Steps:
    """The steps of the check, plain and with a clock between them. A test holds the two to the same answers."""

    def __init__(self, settings: Settings, now: Clock) -> None:
        self._settings = settings
        self._scheme = settings.scheme
        self._token = events.token_form(settings.scheme.token_digits)
        self._names = payloads.NAMES_WITH_EXPIRY if settings.expires else payloads.NAMES
        self._now = now

    def take(self, event: object) -> None:
        """All of them. Raises `Refused` at the first that fails."""
        fields = events.fields(event, self._token, self._scheme.token_digits)
        salt, data = events.salt_bytes(fields.key), events.data_bytes(fields.data)
        if self._settings.checks:
            mac = self._scheme.mac(self._scheme.derive(salt), data)
            if not self._scheme.matches(fields.token, mac):
                raise Refused(NOT_GENUINE)
        if self._settings.unpacks:
            payload = payloads.unpack(payloads.unbase64(data), self._names)
            if self._settings.expires:
                payloads.refuse_expired(payload, self._now())

    def timed(self, event: object) -> dict[str, int]:
        """The same, and the nanoseconds that each step took; a step that this treatment has not is not there.

        `check` is all that authenticates, `whole` all steps; of both the process's CPU time is told, too. The clocks
        around the check are read where nothing is checked as well, so that a difference of two treatments has no part
        of them.
        """
        clock, cpu = time.perf_counter_ns, time.process_time_ns
        took: dict[str, int] = {}
        used = cpu()
        begun = clock()
        fields = events.fields(event, self._token, self._scheme.token_digits)
        formed = clock()
        salt, data = events.salt_bytes(fields.key), events.data_bytes(fields.data)
        last = clock()
        took["fields_ns"], took["utf8_ns"] = formed - begun, last - formed
        used_before = cpu()
        begun_check = clock()
        if self._settings.checks:
            key = self._scheme.derive(salt)
            derived = clock()
            mac = self._scheme.mac(key, data)
            authenticated = clock()
            genuine = self._scheme.matches(fields.token, mac)
            last = clock()
            took["derive_ns"], took["mac_ns"] = derived - begun_check, authenticated - derived
            took["compare_ns"] = last - authenticated
            if not genuine:
                raise Refused(NOT_GENUINE)
            took["check_ns"] = last - begun_check
        used_after = cpu()
        if self._settings.checks:
            took["check_cpu_ns"] = used_after - used_before
        if self._settings.unpacks:
            begun_unpacking = clock()
            raw = payloads.unbase64(data)
            decoded = clock()
            payload = payloads.unpack(raw, self._names)
            if self._settings.expires:
                payloads.refuse_expired(payload, self._now())
            last = clock()
            took["base64_ns"], took["messagepack_ns"] = decoded - begun_unpacking, last - decoded
        took["whole_ns"] = last - begun
        took["whole_cpu_ns"] = cpu() - used
        return took
