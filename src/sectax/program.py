"""The first instructions of the program: an interrupt is quiet, even while modules are imported."""

# The module below `signal`, which takes 10 ms to import its enumerations.
import _signal  # type: ignore[import-not-found]
import os

# Of `model.errors.ExitStatus.INTERRUPTED`, whose import would take time.
_INTERRUPTED = 130


def _quit(number: int, frame: object) -> None:
    """End the process without a word, where nothing has been started and nothing is lost."""
    os._exit(_INTERRUPTED)


def main() -> None:
    """Import the commands and run the program."""
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, _quit)
    from sectax.cli.main import main as run

    run()
