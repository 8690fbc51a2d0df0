"""`python -m tests.warm DESCRIPTOR`: imports the program once, then forks for each call of `tests.program`."""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

from sectax.cli.audit_target import audit
from sectax.cli.main import main

_ROOT = Path(__file__).parents[1]


def serve(asked: socket.socket) -> Any | None:
    """Fork for each request; gives the request back in the child, and None in the parent when nobody asks any more."""
    while (received := _request(asked)) is not None:
        request, outputs = received
        child = os.fork()
        if not child:
            asked.close()
            for ours, theirs in enumerate(outputs, start=1):
                os.dup2(theirs, ours)
                os.close(theirs)
            return request
        for descriptor in outputs:
            os.close(descriptor)
        asked.sendall(b"%d\n" % child)
        asked.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return None


def _request(asked: socket.socket) -> tuple[Any, list[int]] | None:
    outputs = array.array("i")
    size, ancillary, _, _ = asked.recvmsg(4, socket.CMSG_SPACE(2 * outputs.itemsize))
    if not size:
        return None
    outputs.frombytes(ancillary[0][2])
    text = asked.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    return json.loads(text), list(outputs)


def become(words: list[str], folder: str, environment: dict[str, str], simulated: int | None) -> None:
    """Be the program: nothing of the caller's is left but what every process inherits."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["sectax", *words]
    if simulated is not None:
        from tests.fakes import virtual

        virtual.install(simulated)
    # `-m` has put the checkout there: what is kept would be forgotten whenever another test puts a file into it.
    sys.path.remove(str(_ROOT))
    try:
        main()
    except SystemExit as ended:
        _leave(ended)


def _leave(ended: SystemExit) -> None:
    """End as Python would, without taking every object apart: that copies the whole memory of the process."""
    if not isinstance(ended.code, int):
        raise ended
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        raise ended from None
    os._exit(ended.code & 0xFF)


def ahead() -> None:
    """Import and compile what nearly every call would have to for itself, which is half a second of each."""
    for room in ("cli", "gate", "cluster", "run", "experiments", "audit", "reports", "published", "record"):
        package = importlib.import_module(f"sectax.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for late in ("scipy.special", "jinja2.loaders", "rich.console", "rich.theme", "importlib.resources.readers"):
        importlib.import_module(late)
    # Every tool's grammar is compiled to recognise one.
    audit(str(_ROOT / "tests/audit/tools/samples/warp.txt"))
    gc.freeze()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the tests is theirs
    warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of any fork beside numpy's threads
    ahead()
    asked = serve(socket.socket(fileno=int(sys.argv[1])))
    if asked is not None:
        become(*asked)
