"""Another machine over ssh: a real sshd on loopback, and everything that must be refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sectax.experiments.command.subject import CommandSpec
from sectax.hosts import leftovers
from sectax.hosts.process.errors import ChildDied, ChildNotStarted
from sectax.hosts.process.host import NotFound
from sectax.hosts.remote import SshHost
from sectax.model.errors import WrongUse
from sectax.model.subject import Work
from tests.experiments.subjects import measured
from tests.hosts import sshd
from tests.hosts.processes import eventually, soon
from tests.needs import needs

pytestmark = needs("sshd")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with sshd.running(tmp_path_factory.mktemp("sshd")) as running:
        yield running


@pytest.fixture
def there(server, monkeypatch):
    monkeypatch.setenv("SECTAX_SSH_CONFIG", str(server.config))
    host = SshHost(server.name)
    yield host
    host._forget()


def printed(host: SshHost, *argv: str) -> bytes:
    """The first line of a program there."""
    with host.start(list(argv)) as child:
        return child.receive_line(soon())


def test_a_program_there_has_its_words_its_folder_and_its_stdin(there, tmp_path):
    awkward = "a b'c\"$HOME;`x` *"

    script = 'read line; printf "%s|%s|%s\\n" "$0" "$PWD" "$line"'
    with there.start(["sh", "-c", script, awkward], cwd=tmp_path) as child:
        child.send(b"hello\n", soon())
        said = child.receive_line(soon()).decode()

    assert said == f"{awkward}|{tmp_path}|hello\n"


def test_a_word_with_a_dash_is_no_option_of_the_client(there):
    assert printed(there, "echo", "-oProxyCommand=touch /tmp/owned") == b"-oProxyCommand=touch /tmp/owned\n"


def test_its_exit_status_and_last_words_come_back(there):
    with there.start(["sh", "-c", "echo ouch >&2; exit 7"]) as child, pytest.raises(ChildDied) as caught:
        child.receive_line(soon())

    assert caught.value.exit_status == 7
    assert caught.value.stderr_tail == b"ouch\n"


def test_programs_are_found_or_missed_there(there):
    assert there.find_program("sh", None, {}).endswith("/sh")
    with pytest.raises(NotFound, match="ssh://"):
        there.find_program("no-such-program", None, {})


@pytest.mark.more
def test_a_file_is_sent_once_and_removed_at_the_end(there, tmp_path):
    script = tmp_path / "hello"
    script.write_text("#!/bin/sh\necho sent\n")

    path = there.put(script)
    assert path == there.put(script) != str(script)
    assert printed(there, path) == b"sent\n"
    there._end(there._sockets, os.getpid())

    assert eventually(lambda: not Path(path).parent.exists())


@pytest.mark.more
def test_nothing_is_left_by_a_sectax_that_is_killed(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SECTAX_SSH_CONFIG", str(server.config))
    holds = (
        "import sys, time; from pathlib import Path; from sectax.hosts.remote import SshHost\n"
        "host = SshHost(sys.argv[1])\n"
        "print(host.put(Path(sys.argv[2])), host._sockets, flush=True); time.sleep(100)"
    )
    killed = subprocess.Popen([sys.executable, "-c", holds, server.name, __file__], stdout=subprocess.PIPE, text=True)
    path, sockets = map(Path, killed.stdout.readline().split())
    was_there = path.exists() and sockets.exists()
    killed.kill()
    killed.wait()
    killed.stdout.close()

    host = SshHost(server.name)
    host._connect()
    host._forget()

    assert was_there
    assert eventually(lambda: not path.parent.exists())
    assert not sockets.exists()


def test_a_folder_whose_shell_was_killed_there_is_removed_by_the_next_connection(server, there, monkeypatch):
    monkeypatch.setenv("SECTAX_SSH_CONFIG", str(server.config))
    there._connect()
    left = Path(there._folder)
    os.kill(int((left / leftovers.OWNER).read_text()), signal.SIGKILL)
    ended = eventually(lambda: not there._master.is_running())
    was_left = left.exists()

    there._connect()

    assert ended
    assert was_left
    assert not left.exists()
    assert Path(there._folder).exists()


@pytest.mark.more
def test_a_command_is_timed_there_by_the_launcher_that_is_sent(server, monkeypatch):
    monkeypatch.setenv("SECTAX_SSH_CONFIG", str(server.config))
    witnesses, visit, _ = measured(CommandSpec("sleep", ("sleep", "0.05"), host=server.name), Work(2))

    assert witnesses["launcher"].startswith("c,")
    assert 0.1 <= visit.summed_s("wall") < 30


@pytest.mark.parametrize(("known", "checking"), [(True, "no"), (False, "accept-new")])
def test_another_host_key_is_refused_whatever_the_users_settings_accept(server, tmp_path, monkeypatch, known, checking):
    keys = tmp_path / "known"
    if known:
        keys.write_text(f"[127.0.0.1]:{server.port} {sshd.key(tmp_path / 'other')}")
    settings = f"UserKnownHostsFile {keys}\nGlobalKnownHostsFile none\nStrictHostKeyChecking {checking}\n"
    (tmp_path / "config").write_text(settings)
    monkeypatch.setenv("SECTAX_SSH_CONFIG", str(tmp_path / "config"))
    before = known and keys.read_text()

    with pytest.raises(ChildNotStarted, match="host key"):
        SshHost(server.name).start(["true"])

    assert (keys.exists() and keys.read_text()) == before  # it is never accepted


def test_a_login_that_wants_a_password_is_refused_at_once(tmp_path, monkeypatch):
    with sshd.running(tmp_path / "sshd", passwords=True) as server:
        monkeypatch.setenv("SECTAX_SSH_CONFIG", str(server.config))
        began = time.monotonic()

        with pytest.raises(ChildNotStarted, match="does not accept a key without a password"):
            SshHost(server.name).start(["true"])

        assert time.monotonic() - began < 60


@pytest.mark.more
def test_a_connection_that_was_lost_is_opened_again(there, server):
    with there.start(["true"]) as child:
        child.wait(soon())
    there._master.kill()

    assert printed(there, "echo", "again") == b"again\n"


INVALID = ["ssh://", "ssh://-oProxyCommand=x", "ssh://a b", "ssh:host", "ssh://u@-h", "ssh://h/x"]


@pytest.mark.parametrize("name", [*INVALID, "ssh://me@h:0", "ssh://h:65536", "ssh://[::1]:99999"])
def test_an_invalid_address_or_port_is_refused(name):
    with pytest.raises(WrongUse, match="ssh:" if name in INVALID else "port"):
        SshHost(name)
    assert SshHost("ssh://me@[::1]:22").name
