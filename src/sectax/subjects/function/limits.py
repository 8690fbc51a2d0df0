"""The limits that a memory size declares, by the names and values that a function's witnesses must confirm."""

from __future__ import annotations

from sectax.model.errors import SectaxError
from sectax.model.subject import Witness
from sectax.model.why_not import WhyNot
from sectax.sandboxes.instance.limits import PERIOD_US, Limits, quota_us, vcpus
from sectax.subjects.function.function import LOCAL


def limits_declared(memory_mb: int, endpoint: str | None) -> dict[str, Witness]:
    """By the names of the witnesses. Only sectax's own Lambda, here, is known to tell which limits are in force."""
    configured: dict[str, Witness] = {"memory_mb": memory_mb}
    quota = quota_us(Limits(memory_mb, vcpus(memory_mb)))
    if endpoint != LOCAL or quota is None:
        return configured
    # The kernel counts whole microseconds, so what is in force is not memory/1769 to the last digit.
    return configured | {"memory_limit_mb": float(memory_mb), "cpu_quota": quota / PERIOD_US}


def unavailable_reason(endpoint: str | None) -> WhyNot | None:
    """Why functions cannot have the share that their memory buys here; None where they can. Takes some 50 ms."""
    if endpoint != LOCAL:
        return None
    from sectax.stack.lambda_service.main import check  # loads the whole server
    from sectax.stack.lambda_service.settings import Settings

    try:
        check(Settings())
    except SectaxError as error:
        return error.why_not
    return None
