"""What can go wrong when a runtime is looked for."""

from __future__ import annotations

from sectax.model.errors import ExitStatus, SectaxError


class MissingInterpreter(SectaxError):
    """This runtime cannot be had here; the message is the reason, the hint what would mend it."""

    exit_status = ExitStatus.NOTHING_MEASURED
