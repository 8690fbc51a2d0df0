"""Another machine over ssh: a real sshd on loopback, and everything that must be refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sectax.experiments.command.subject import CommandSpec
from sectax.hosts import leftovers
from sectax.hosts.process.errors import ChildDied, ChildNotStarted
from sectax.hosts.process.host import NotFound
from sectax.hosts.remote import SshHost
from sectax.model.errors import WrongUse
from sectax.model.subject import Work
from tests.hosts import sshd
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


def soon() -> float:
    return time.monotonic() + 60


def eventually(condition: Callable[[], bool]) -> bool:
    until = soon()
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


def test_a_program_there_has_its_words_its_folder_and_its_stdin(there, tmp_path):
    awkward = "a b'c\"$HOME;`x` *"

    with there.start(
        ["sh", "-c", 'read line; printf "%s|%s|%s\\n" "$0" "$PWD" "$line"', awkward], cwd=tmp_path
    ) as child:
        child.send(b"hello\n", soon())
        said = child.receive_line(soon()).decode()

    assert said == f"{awkward}|{tmp_path}|hello\n"


def test_a_word_with_a_dash_is_no_option_of_the_client(there):
    with there.start(["echo", "-oProxyCommand=touch /tmp/owned"]) as child:
        assert child.receive_line(soon()) == b"-oProxyCommand=touch /tmp/owned\n"


@pytest.mark.more
def test_many_programs_share_one_login(there, server):
    before = server.log.read_text().count("Accepted publickey")

    for number in range(5):
        with there.start(["echo", str(number)]) as child:
            assert child.receive_line(soon()) == f"{number}\n".encode()

    assert server.log.read_text().count("Accepted publickey") == before + 1


@pytest.mark.more
def test_it_says_what_it_is(there):
    assert there.identity()["host.kernel"] == os.uname().release
    assert "host.load" in there.circumstances()


def test_its_exit_status_and_last_words_come_back(there):
    with there.start(["sh", "-c", "echo ouch >&2; exit 7"]) as child, pytest.raises(ChildDied) as caught:
        child.receive_line(soon())

    assert caught.value.exit_status == 7
    assert caught.value.stderr_tail == b"ouch\n"


def test_programs_are_found_or_missed_there(there):
    assert there.find_program("sh", None, {}).endswith("/sh")
    with pytest.raises(NotFound, match="not found on ssh://"):
        there.find_program("no-such-program", None, {})


@pytest.mark.more
def test_a_file_is_sent_once_and_removed_at_the_end(there, tmp_path):
    script = tmp_path / "hello"
    script.write_text("#!/bin/sh\necho sent\n")

    path = there.put(script)
    again = there.put(script)
    with there.start([path]) as child:
        line = child.receive_line(soon())
    there._end(there._sockets, os.getpid())

    assert line == b"sent\n"
    assert path == again != str(script)
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
    subject = CommandSpec("sleep", ("sleep", "0.05"), host=server.name).subject()

    witnesses = subject.open()
    observations = subject.visit(Work(2)).observations
    subject.close()

    assert witnesses["launcher"].startswith("c,")
    assert 0.1 <= next(observation.value for observation in observations if observation.metric == "wall") < 30


def test_a_host_key_that_changed_is_refused_and_never_accepted(server, tmp_path, monkeypatch):
    other = sshd.key(tmp_path / "other")
    known = tmp_path / "known"
    known.write_text(f"[127.0.0.1]:{server.port} {other}")
    config = tmp_path / "config"
    config.write_text(f"UserKnownHostsFile {known}\nGlobalKnownHostsFile none\nStrictHostKeyChecking no\n")
    monkeypatch.setenv("SECTAX_SSH_CONFIG", str(config))
    before = known.read_text()

    with pytest.raises(ChildNotStarted, match="its host key is not the one that was known"):
        SshHost(server.name).start(["true"])

    assert known.read_text() == before


def test_a_host_key_that_is_not_known_is_refused_even_where_the_users_settings_accept_it(server, tmp_path, monkeypatch):
    config = tmp_path / "config"
    config.write_text(
        f"UserKnownHostsFile {tmp_path}/none\nGlobalKnownHostsFile none\nStrictHostKeyChecking accept-new\n"
    )
    monkeypatch.setenv("SECTAX_SSH_CONFIG", str(config))

    with pytest.raises(ChildNotStarted, match="its host key is not known here"):
        SshHost(server.name).start(["true"])

    assert not (tmp_path / "none").exists()


def test_a_login_that_wants_a_password_is_refused_at_once(tmp_path, monkeypatch):
    with sshd.running(tmp_path / "sshd", passwords=True) as server:
        monkeypatch.setenv("SECTAX_SSH_CONFIG", str(server.config))
        began = time.monotonic()

        with pytest.raises(ChildNotStarted, match="sectax never types one"):
            SshHost(server.name).start(["true"])

        assert time.monotonic() - began < 60


def test_a_host_that_is_not_there_is_reported():
    with pytest.raises(ChildNotStarted, match="Connection refused"):
        SshHost("ssh://nobody@127.0.0.1:1").start(["true"])


@pytest.mark.more
def test_a_connection_that_was_lost_is_opened_again(there, server):
    with there.start(["true"]) as child:
        child.wait(soon())
    there._master.kill()

    with there.start(["echo", "again"]) as child:
        assert child.receive_line(soon()) == b"again\n"


@pytest.mark.parametrize(
    "name", ["ssh://", "ssh://-oProxyCommand=x", "ssh://a b", "ssh:host", "ssh://u@-h", "ssh://h/x"]
)
def test_an_invalid_address_is_refused(name):
    with pytest.raises(WrongUse, match="is not the address of an ssh host"):
        SshHost(name)


@pytest.mark.parametrize("name", ["ssh://me@h:0", "ssh://h:65536", "ssh://[::1]:99999"])
def test_a_port_that_there_is_not_is_refused(name):
    with pytest.raises(WrongUse, match="no port"):
        SshHost(name)
    assert SshHost("ssh://me@[::1]:22").name
