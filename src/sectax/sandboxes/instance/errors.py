"""What can go wrong with the sandbox of a function instance."""

from __future__ import annotations

from sectax.model.errors import ExitStatus, SectaxError


class SandboxMissing(SectaxError):
    """This machine or this user cannot make what was asked for: the message says why, the hint what to do."""

    exit_status = ExitStatus.NOTHING_MEASURED


class InstanceFailed(SectaxError):
    """An instance could not be made or a program in it not started, or the instance is gone."""

    exit_status = ExitStatus.NOTHING_MEASURED
