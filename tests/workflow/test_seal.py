"""A run that is sealed says later whether it was changed, by whom it was sealed, and what is not sealed."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulations.run_files import HOST, calibrated, draft, forge, record_block, write
from benchmarks.simulations.whole_runs import COUNT
from sectax.record.plan_tables import encode_plan
from sectax.record.seal import opening_statement
from sectax.record.writer import RunWriter
from sectax.workflow.seal import SigningKey
from tests.needs import needs
from tests.program import sectax
from tests.workflow.sessions import begin

TWO = ("--baseline", "true", "--treatment", "slow=sleep 0.001", "--blocks", "6", "--out", "r.sectax")

pytestmark = needs("ssh")


def new_key(path: Path, passphrase: str = "") -> Path:
    words = ("-q", "-t", "ed25519", "-N", passphrase, "-C", "ann@example.org", "-f", str(path))
    subprocess.run(["ssh-keygen", *words], check=True)
    return path


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_key(tmp_path_factory.mktemp("keys") / "id")


@pytest.fixture(scope="module")
def signers(key: Path) -> Path:
    path = key.with_name("signers")
    path.write_text(f"ann@example.org {key.with_name('id.pub').read_text()}")
    return path


@pytest.fixture
def unsealed(tmp_path: Path) -> Path:
    """A healthy simulated run."""
    path = tmp_path / "run.sectax"
    rng = np.random.default_rng(3)
    write(draft(rng, 8, 2), path, rng, eventful=False)
    return path


@pytest.fixture
def run_file(unsealed: Path, key: Path) -> Path:
    """The run, sealed at its end as a session does it."""
    assert sectax("resume", str(unsealed), "--seal", str(key)).status == 0
    return unsealed


def seal(path: Path, *words: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(sectax("audit", str(path), "--json", *words).out)["seal"]
    return found


@pytest.mark.more
def test_a_run_is_sealed_from_plan_to_end_without_a_secret(tmp_path: Path, key: Path, signers: Path) -> None:
    ran = sectax("run", "command", *TWO, "--seal", str(key), folder=tmp_path, simulated=1)

    assert ran.status == 0, ran.err
    path = tmp_path / "r.sectax"
    sealed = seal(path, "--signers", str(signers))
    assert (sealed["state"], sealed["blocks"], sealed["of_blocks"]) == ("sealed", 6, 6)
    assert sealed["name"] == "ann@example.org"
    assert str(sealed["signer"]).startswith("SHA256:")
    content = path.read_bytes()
    assert not any(line.encode() in content for line in key.read_text().splitlines())


@pytest.mark.more
def test_a_run_without_a_seal_fails_where_signers_are_known(unsealed: Path, signers: Path) -> None:
    assert seal(unsealed)["state"] == "not-sealed"
    assert sectax("audit", str(unsealed), "--fail-on", "F", "--signers", str(signers)).status == 1


@pytest.mark.more
@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE observation SET value = value * 1.01 WHERE block = 2",
        "UPDATE block SET seconds = seconds + 1 WHERE number = 8",
        "UPDATE run SET plan = replace(plan, '\"seed\":', '\"seed\":1')",
        "UPDATE environment SET value = '64' WHERE name = 'host.cpus'",
        "UPDATE run SET id = 'fedcba9876543210'",
        "UPDATE seal SET statement = replace(statement, 'at 2', 'at 1')",
        "UPDATE seal SET statement = 'x'",
        "UPDATE seal SET signature = 'x'",
    ],
)
def test_what_was_changed_after_it_was_sealed_breaks_the_seal(run_file: Path, edit: str) -> None:
    assert seal(run_file)["state"] == "sealed"
    forge(run_file, [(edit, ())])

    assert seal(run_file)["state"] == "broken"
    assert sectax("audit", str(run_file), "--fail-on", "F").status == 1


def test_the_key_of_another_is_an_unknown_signer(run_file: Path, tmp_path: Path) -> None:
    other = new_key(tmp_path / "other").with_name("other.pub").read_text()
    (tmp_path / "signers").write_text(f"eve@example.org {other}")

    answer = sectax("audit", str(run_file), "--signers", str(tmp_path / "signers"), "--fail-on", "F")

    assert answer.status == 1
    assert seal(run_file, "--signers", str(tmp_path / "signers"))["state"] == "unknown-signer"


def test_a_public_key_by_itself_is_a_signer_without_a_name(run_file: Path, tmp_path: Path, key: Path) -> None:
    (tmp_path / "ann.pub").write_text(key.with_name("id.pub").read_text())
    new_key(tmp_path / "eve")

    mine, other = (seal(run_file, "--signers", str(tmp_path / name)) for name in ("ann.pub", "eve.pub"))

    assert (mine["state"], mine["name"]) == ("sealed", "")
    assert other["state"] == "unknown-signer"


@pytest.mark.parametrize("content", ["", "# nobody\n", "ann@example.org\n", "-----BEGIN OPENSSH PRIVATE KEY-----\n"])
def test_a_file_without_a_public_key_is_refused(run_file: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "signers").write_text(content)

    answer = sectax("audit", str(run_file), "--signers", str(tmp_path / "signers"))

    assert (answer.status, answer.out) == (2, "")


def session(path: Path, key: Path | None, blocks: int, *, ends: bool = True) -> None:
    """A session of a simulated run, the first or a later one."""
    rng = np.random.default_rng(9)
    made_up = draft(rng, 12, 2)
    if path.exists():
        writer = RunWriter.reopen(path, HOST)
    else:
        writer = RunWriter.create(path, made_up.plan, HOST, "0123456789abcdef")
    signing = None if key is None else SigningKey(str(key))
    if signing is not None:
        statement = opening_statement(writer.run_id, encode_plan(writer.plan), 1)
        writer.keep_seal(statement, signing.sign(statement))
    sizes = dict.fromkeys(made_up.logs, COUNT)
    with writer:
        if writer.calibrated is None:
            writer.calibrate(calibrated(sizes, 2))
        for _ in range(blocks):
            record_block(writer, made_up, writer.next_block_number() - 1, list(sizes), sizes, rng, "")
        if ends:
            writer.finish("interrupted")
            if signing is not None:
                writer.seal(signing.sign)


@pytest.mark.more
def test_a_later_session_that_is_not_sealed_is_reported(tmp_path: Path, key: Path) -> None:
    path = tmp_path / "run.sectax"
    session(path, key, 3)
    assert seal(path)["state"] == "sealed"

    session(path, None, 2)
    sealed = seal(path)
    assert (sealed["state"], sealed["blocks"], sealed["of_blocks"]) == ("partly-sealed", 3, 5)

    session(path, key, 1)
    assert (seal(path)["state"], seal(path)["blocks"]) == ("sealed", 6)


def test_what_an_earlier_session_sealed_stays_sealed_in_a_later_one(tmp_path: Path, key: Path) -> None:
    path = tmp_path / "run.sectax"
    session(path, key, 3)
    session(path, None, 2)
    forge(path, [("UPDATE observation SET value = value * 1.01 WHERE block = 2", ())])

    assert seal(path)["state"] == "broken"


def test_of_a_session_that_was_killed_the_plan_alone_is_sealed(tmp_path: Path, key: Path) -> None:
    path = tmp_path / "run.sectax"
    session(path, key, 2, ends=False)

    sealed = seal(path)

    assert (sealed["state"], sealed["blocks"]) == ("partly-sealed", 0)


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [("missing", None, 2), ("garbage", "no key", 3), ("-----BEGIN OPENSSH PRIVATE KEY-----", None, 2)],
)
def test_a_key_that_cannot_sign_is_refused_before_the_run(
    tmp_path: Path, name: str, content: str | None, status: int
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)

    ran = sectax("run", "command", *TWO, f"--seal={name}", folder=tmp_path, simulated=1)

    assert ran.status == status, ran.err
    assert "hint: " in ran.err
    assert not (tmp_path / "r.sectax").exists()


@pytest.mark.more
def test_a_run_whose_key_is_gone_at_the_end_is_whole_and_can_be_sealed_later(tmp_path: Path, key: Path) -> None:
    short_lived = new_key(tmp_path / "gone")
    words = ("--baseline", "true", "--treatment", f"b=rm -f {short_lived} {short_lived}.pub", "--blocks", "6")

    ran = sectax("run", "command", *words, "--seal", str(short_lived), "--out", "r.sectax", folder=tmp_path)

    assert ran.status == 3
    assert "sectax resume" in ran.err
    path = tmp_path / "r.sectax"
    assert seal(path)["state"] == "partly-sealed"
    assert sectax("resume", str(path), "--seal", str(key)).status == 0
    assert seal(path)["state"] == "sealed"


def test_a_passphrase_is_asked_for_on_the_terminal_and_nowhere_else(tmp_path: Path) -> None:
    key = new_key(tmp_path / "locked", "correct horse")
    signing = SigningKey(str(key))
    assert signing.needs_passphrase()
    child, terminal = pty.fork()
    if child == 0:
        code = f"from sectax.workflow.seal import SigningKey; print(SigningKey({str(key)!r}).sign('text')[:5])"
        os.execv(sys.executable, [sys.executable, "-c", code])  # noqa: S606

    said, deadline = "", time.monotonic() + 60
    asked = False
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1)
        try:
            said += os.read(terminal, 1000).decode() if ready else ""
        except OSError:
            break
        if "passphrase" in said and not asked:
            os.write(terminal, b"correct horse\n")
            asked = True
    os.waitpid(child, 0)

    assert asked
    assert "-----" in said.rpartition("passphrase")[2]
    assert "correct horse" not in said


def test_without_a_terminal_a_locked_key_is_refused_with_the_way_out(tmp_path: Path) -> None:
    key = new_key(tmp_path / "locked", "correct horse")
    process = begin(tmp_path, "run", "command", *TWO, "--seal", str(key), start_new_session=True)
    _, err = process.communicate(timeout=120)

    assert process.returncode == 3
    assert "ssh-add" in err
    assert "correct horse" not in err
    assert not (tmp_path / "r.sectax").exists()


def test_a_seal_can_be_checked_without_sectax(run_file: Path, tmp_path: Path) -> None:
    """As docs/run-file.md says."""
    page = (Path(__file__).parents[2] / "docs" / "run-file.md").read_text()
    script = page.partition("## Seal")[2].partition("```py\n")[2].partition("```")[0]
    assert script

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=run_file.parent, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert 'Good "sectax-run" signature' in done.stdout
