"""What a memory size promises: the names and values that the witnesses of a function must confirm."""

from __future__ import annotations

from sectax.model.errors import SectaxError
from sectax.model.subject import Witness
from sectax.sandboxes.instance.limits import PERIOD_US, Limits, vcpus
from sectax.sandboxes.instance.settings import quota_us
from sectax.subjects.function.endpoints import LOCAL


def promised(memory_mb: int, endpoint: str | None) -> dict[str, Witness]:
    """By the names of the witnesses. Only sectax's own Lambda, here, is known to tell which limits are in force."""
    configured: dict[str, Witness] = {"memory_mb": memory_mb}
    quota = quota_us(Limits(memory_mb, vcpus(memory_mb)))
    if endpoint != LOCAL or quota is None:
        return configured
    # The kernel counts whole microseconds, so what is in force is not memory/1769 to the last digit.
    return configured | {"memory_limit_mb": float(memory_mb), "cpu_quota": quota / PERIOD_US}


def obstacle(endpoint: str | None) -> SectaxError | None:
    """Why functions cannot have the share that their memory buys here; None where they can. Takes some 50 ms."""
    if endpoint != LOCAL:
        return None
    from sectax.stack.lambda_service.main import check  # loads the whole server
    from sectax.stack.lambda_service.settings import Settings

    try:
        check(Settings())
    except SectaxError as error:
        return error
    return None
