"""Seals run files with a key of the user's, and checks their seals, by `ssh-keygen -Y`, which most machines have."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from sectax.model.errors import ExitStatus, SectaxError, WrongUse
from sectax.model.seal import Seal, SealState
from sectax.record.errors import readable
from sectax.record.reader import RunReader
from sectax.record.seal import BadSignature, UnknownSigner
from sectax.text.printable import printable

# What a signature of a seal is for, so that it cannot be taken for one of something else (PROTOCOL.sshsig).
NAMESPACE = "sectax-run"
_PROGRAM = "ssh-keygen"
_INSTALL = "install OpenSSH's client (apt install openssh-client)"
# A public key, as id_ed25519.pub has it: by itself, and in a line of allowed signers after those whose key it is.
_PUBLIC_KEY = re.compile(r"(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+[ \t]+AAAA[\w+/]")
_ANYBODY = "*"
_NAME_SIGNERS = "name a file with the author's public key (id.pub), or with lines as: ann@example.org ssh-ed25519 AAAA…"
# A person types a passphrase meanwhile, or touches a security key.
_SIGN_TIMEOUT_S = 180.0
_CHECK_TIMEOUT_S = 20.0
_GOOD = re.compile(r'Good "[^"]*" signature(?: for (?P<name>.*?))? with \S+ key (?P<key>SHA256:[A-Za-z0-9+/]+)')


class NotSealed(SectaxError):
    """The run is whole, and could not be sealed as was asked."""

    exit_status = ExitStatus.NOTHING_MEASURED


class SigningKey:
    """A key in a file, or the public half of one that ssh-agent holds. It is never read by sectax itself."""

    def __init__(self, key: str) -> None:
        """Raises `WrongUse` where there is no such file, or no ssh-keygen."""
        if "PRIVATE KEY" in key:
            raise WrongUse(
                "--seal takes the name of a key file, not the key", "anybody could read it in the list of processes"
            )
        self._program = shutil.which(_PROGRAM)
        if self._program is None:
            raise WrongUse(f"--seal needs {_PROGRAM}, which is not installed", _INSTALL)
        path = Path(key).expanduser()
        if not path.is_file():
            raise WrongUse(
                f"--seal {printable(key)}: there is no such file",
                f"make a key with: {_PROGRAM} -t ed25519 -f {printable(key)}",
            )
        self._path = path
        self.shown = printable(key)

    def needs_passphrase(self) -> bool:
        """Whether the file is encrypted, so that ssh-keygen asks for its passphrase where no agent holds the key."""
        try:
            done = _run([str(self._program), "-y", "-P", "", "-f", str(self._path)])
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode != 0 and b"passphrase" in done.stderr

    def sign(self, statement: str) -> str:
        """The signature of a text, in OpenSSH's armour. A passphrase is asked for on the terminal by ssh-keygen itself.

        Raises:
            NotSealed: it could not be made, or nobody answered for three minutes.
        """
        words = [str(self._program), "-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(self._path)]
        try:
            done = _run(words, statement, _SIGN_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise NotSealed(f"{self.shown} did not sign within {_SIGN_TIMEOUT_S:.0f} s", self._agent()) from error
        except OSError as error:
            raise NotSealed(f"{_PROGRAM} cannot be started: {error.strerror}", _INSTALL) from error
        signature = done.stdout.decode("ascii", "replace")
        if done.returncode != 0 or not signature.startswith("-----BEGIN SSH SIGNATURE-----"):
            stderr = readable(done.stderr.decode("utf-8", "replace")).strip().splitlines()
            why = printable(stderr[-1]) if stderr else f"{_PROGRAM} ended with status {done.returncode}"
            raise NotSealed(f"{self.shown} cannot sign: {why}", self._agent())
        return signature

    def _agent(self) -> str:
        return f"a key with a passphrase is asked for on a terminal; ssh-add {self.shown} asks once, and before the run"


def seal_of_run(reader: RunReader, signers: Path | None = None) -> Seal:
    """What the seals of a run file say, whose blocks were read, and so compared with their checksums, before.

    Args:
        signers: a file of allowed signers as ssh-keygen has it, or of public keys; None takes any key.

    Raises:
        BadRecord: it cannot be read.
        WrongUse: there is no such file of signers, or it has no key.
    """
    allowed = None if signers is None else _allowed(signers)
    try:
        seal = reader.seal(partial(_check, shutil.which(_PROGRAM), allowed))
    except _NoProgram:
        return Seal(SealState.UNKNOWN, reason=f"{_PROGRAM} is not installed: {_INSTALL}")
    return replace(seal, known=signers is not None)


def _allowed(signers: Path) -> str:
    """The lines of a file of signers; a public key by itself is that key, whoever has it. Raises `WrongUse`."""
    name = f"--signers {printable(str(signers))}"
    try:
        lines = signers.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise WrongUse(f"{name} cannot be read: {error.strerror}", _NAME_SIGNERS) from error
    if not any(_PUBLIC_KEY.search(line) for line in lines if not line.startswith("#")):
        raise WrongUse(f"{name} has no public key", _NAME_SIGNERS)
    return "\n".join(f"{_ANYBODY} {line}" if _PUBLIC_KEY.match(line) else line for line in lines) + "\n"


def is_sealed(path: Path) -> bool:
    """Whether a file has a seal of any kind, whatever it is worth."""
    with RunReader.open(path) as reader:
        return reader.seal(lambda *_: ("", "")).state is not SealState.NOT_SEALED


class _NoProgram(Exception):
    """There is a seal, and no ssh-keygen to check it with."""


def _check(program: str | None, allowed: str | None, statement: str, signature: str) -> tuple[str, str]:
    """The key's fingerprint and its name. Raises `BadSignature`, `UnknownSigner` or `_NoProgram`."""
    if program is None:
        raise _NoProgram
    with tempfile.TemporaryDirectory(prefix="sectax-") as folder:
        file = Path(folder, "seal.sig")
        file.write_text(signature, encoding="utf-8", errors="replace")
        good = _GOOD.search(_ask(program, statement, "check-novalidate", "-s", file))
        if good is None:
            raise BadSignature("its signature is not of this text")
        if allowed is not None:
            signers = Path(folder, "signers")
            signers.write_text(allowed, encoding="utf-8")
            principals = _ask(program, "", "find-principals", "-s", file, "-f", signers)
            who = principals.splitlines()[0] if principals.strip() else ""
            has_signer = who and not who.startswith("-")
            verified = _ask(program, statement, "verify", "-s", file, "-f", signers, "-I", who) if has_signer else ""
            if (by := _GOOD.search(verified)) is None:
                raise UnknownSigner(good["key"])
            good = by
    return good["key"], "" if good["name"] == _ANYBODY else printable(good["name"] or "")


def _ask(program: str, text: str, action: str, *words: str | Path) -> str:
    """What ssh-keygen prints; empty where it refuses."""
    try:
        done = _run([program, "-Y", action, "-n", NAMESPACE, *map(str, words)], text)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _run(words: list[str], text: str = "", timeout_s: float = _CHECK_TIMEOUT_S) -> subprocess.CompletedProcess[bytes]:
    """Run ssh-keygen, which reads the text. Raises `OSError`, `subprocess.TimeoutExpired`."""
    environment = os.environ | {"LC_ALL": "C"}
    return subprocess.run(
        words, input=text.encode(), capture_output=True, timeout=timeout_s, check=False, env=environment
    )
