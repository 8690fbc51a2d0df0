"""Parts to build: a TLS program for each library."""

from __future__ import annotations

from functools import partial

from sectax.experiments.tls.levels import GO, LIBRARY, OPENSSL, RUSTLS
from sectax.parts import cache, probes
from sectax.parts.go_programs import GoProgram
from sectax.parts.probes import Manifest, Probe, SetUp
from sectax.parts.programs import Requirement
from sectax.parts.registry import Part, Say, family_part

_SET_UP = "sectax setup tls"
PARTS = {library: f"tls:{library}" for library in LIBRARY.levels}


def go_ends() -> GoProgram:
    """Client and server with Go's crypto/tls, and the delaying relay."""
    title, folder = "the TLS program in Go", cache.bundled("clients", "tls-go")
    return GoProgram("tls-ends", title, "about 20 seconds", f"{_SET_UP} --level library={GO}", "ends", folder)


def rustls_ends() -> Probe:
    """Client and server with rustls on aws-lc-rs."""
    build = ["{cargo}", "install", "--path", ".", "--locked", "--quiet", "--no-track", "--root", "{out}"]
    return Probe(
        cache.bundled("clients", "tls-rustls"),
        Manifest(
            name="tls-rustls",
            title="rustls",
            command=["{out}/bin/ends"],
            requires=[Requirement("cargo", ">=1.85", hint="install Rust from https://rustup.rs")],
            setup=SetUp(
                "build",
                command=[*build, "--target-dir", "{scratch}"],
                by=f"{_SET_UP} --level library={RUSTLS}",
                about="about 2 minutes, with a C compiler; rustls and aws-lc-rs from crates.io",
            ),
        ),
    )


def openssl_ends() -> Probe:
    """Client and server with pyOpenSSL, on the OpenSSL of cryptography."""
    return Probe(
        cache.bundled("clients", "tls-openssl"),
        Manifest(
            name="tls-openssl",
            title="OpenSSL",
            command=["{python}", "ends.py"],
            setup=SetUp(
                "python-venv",
                lock="requirements.lock",
                by=f"{_SET_UP} --level library={OPENSSL}",
                about="pyOpenSSL and cryptography from PyPI",
            ),
        ),
    )


def part(name: str) -> Part:
    return family_part("tls", name, {GO: go_ends().part} | {language: partial(_part, language) for language in _PROBES})


def _part(name: str) -> Part:
    ends = _PROBES[name]()

    def make(say: Say) -> None:
        say(f"setting up the TLS program of {name}")
        probes.set_up(ends, say)

    about = ends.manifest.setup.about if ends.manifest.setup else ""
    return Part(f"tls-{name}", f"the TLS program of {name}", lambda: probes.missing(ends), make, True, about)


_PROBES = {RUSTLS: rustls_ends, OPENSSL: openssl_ends}


def command(library: str) -> tuple[str, ...]:
    """Command of a library's program, without its role."""
    if library == GO:
        return (str(go_ends().path),)
    ends = _PROBES[library]()
    return tuple(str(ends.folder / word) if word.endswith(".py") else word for word in ends.command())


def identity(library: str) -> str:
    """Versioned name of a library's program."""
    if library == GO:
        return go_ends().path.parent.name
    return str(_PROBES[library]().environment_folder())
