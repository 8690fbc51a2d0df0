"""Without TLS only a scheduler of this user, or root's, is trusted on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from sectax.model.errors import WrongUse
from tests.needs import needs

_LISTEN = """
import os, socket, sys
os.setuid(int(sys.argv[1]))
with socket.create_server(("127.0.0.1", 0)) as listener:
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
"""


def test_own_listener_and_free_port_are_trusted() -> None:
    from sectax.engines.dask.cluster import _is_own_listener

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert _is_own_listener(f"127.0.0.1:{port}")
    assert _is_own_listener(f"127.0.0.1:{port}")


@needs("root")
def test_scheduler_of_another_user_is_refused() -> None:
    from sectax.engines.dask.cluster import Cluster

    other = os.geteuid() + 12345
    with subprocess.Popen(
        [sys.executable, "-c", _LISTEN, str(other)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = f"127.0.0.1:{process.stdout.readline().strip()}"
        with pytest.raises(WrongUse):
            Cluster.connect(address, ca=None, cert=None, key=None)
        process.kill()
