"""The program: stdin and stdout become the conversation, everything else goes to stderr."""

import signal
import sys


def main() -> int:
    # Ctrl-C reaches the whole foreground group. The default action ends the process at once and without a
    # traceback, and the parent sees what ended it; hence before the imports.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    from sectax_probe.catalogue import PROBE
    from sectax_probe.kit.conversation import serve

    return serve(PROBE)


if __name__ == "__main__":
    sys.exit(main())
