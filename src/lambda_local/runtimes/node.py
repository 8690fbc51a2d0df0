"""Finds Node and builds AWS's runtime client for it in the cache."""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
from pathlib import Path

from lambda_local.errors import SetUpFailed
from lambda_local.instances.programs import CLIENT, LANG, OPT, TASK, Runtime
from lambda_local.runtimes import installing
from lambda_local.runtimes.installing import Missing, reported_version
from lambda_local.sandbox import Mount

_LOCKED = Path(__file__).parent / "node_client"
_PACKAGE = "aws-lambda-ric"
# Programs for building its native part -> Debian packages.
_BUILT_WITH = {
    "autoconf": "autoconf",
    "automake": "automake",
    "libtoolize": "libtool",
    "cmake": "cmake",
    "make": "make",
    "g++": "g++",
    "python3": "python3",
    "npm": "npm",
}


def find(name: str) -> Runtime:
    """Return the runtime, as 'nodejs20.x'. Raises `SetUpFailed` without this Node."""
    _, version = _find_node(name)
    client, major = _folder(version), version.partition(".")[0]
    # The search path of `require`: AWS Lambda Developer Guide, "Building Lambda functions with Node.js", layers.
    modules = (f"{OPT}/nodejs/node{major}/node_modules", f"{OPT}/nodejs/node_modules", f"{CLIENT}/node_modules")
    argv = (f"{LANG}/bin/node", f"{CLIENT}/node_modules/{_PACKAGE}/bin/index.mjs")
    mounts = (Mount(client / "lang", f"{LANG}/bin"), Mount(client, CLIENT))
    environment = {"NODE_PATH": ":".join((*modules, CLIENT, TASK))}
    return Runtime(argv, mounts, environment, f"AWS_Lambda_{name}", f"nodejs:{version}")


def missing(name: str) -> Missing | None:
    """Return why the runtime is not available, or None. Raises `SetUpFailed` without this Node."""
    _, version = _find_node(name)
    if installing.is_complete(_folder(version)):
        return None
    lacking = [program for program in _BUILT_WITH if shutil.which(program) is None]
    if lacking:
        packages = tuple(_BUILT_WITH[program] for program in lacking)
        reason = f"AWS's runtime client for Node is not built; building it needs {', '.join(lacking)}"
        return Missing(
            reason, f"apt-get install {' '.join(packages)}, then python -m lambda_local setup {name}", packages
        )
    return Missing("AWS's runtime client for Node is not built", f"python -m lambda_local setup {name}", makable=True)


def install(name: str) -> None:
    """Build AWS's runtime client, which takes minutes. Raises `SetUpFailed`."""
    program, version = _find_node(name)
    installing.make_once(_folder(version), functools.partial(_build, program))


def _build(program: Path, folder: Path) -> None:
    """Install by the lock in a temporary folder, and copy only the client, without its build dependencies."""
    with tempfile.TemporaryDirectory(prefix=".node-", dir=folder.parent) as scratch:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(_LOCKED / file, scratch)
        installing.run(
            ["npm", "ci", "--no-audit", "--no-fund"],
            "AWS's runtime client for Node could not be built",
            environment=_environment(program),
            folder=Path(scratch),
        )
        client = Path(scratch, "node_modules", _PACKAGE)
        # npm may be configured not to run scripts.
        if not (client / "dist" / "rapid-client.node").exists():
            raise SetUpFailed(
                "npm did not build the native part of AWS's runtime client for Node",
                "allow its scripts (npm config get ignore-scripts), then try again",
            )
        for part in ("bin", "dist", "package.json"):
            source, target = client / part, folder / "node_modules" / _PACKAGE / part
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    (folder / "lang").mkdir()
    shutil.copy(program, folder / "lang" / "node")


def _environment(program: Path) -> dict[str, str]:
    """Point node-gyp to Node's own headers if they exist, so that it does not download them."""
    prefix = program.resolve().parents[1]
    headers = {"npm_config_nodedir": str(prefix)} if (prefix / "include/node/node.h").exists() else {}
    return headers | dict(os.environ)


def _folder(version: str) -> Path:
    return installing.place("node", (_LOCKED / "package-lock.json").read_bytes(), version.encode())


def here() -> str | None:
    """Return the runtime of this machine's Node, as `nodejs20.x`; None without Node."""
    version = _here()[1]
    return f"nodejs{version.partition('.')[0]}.x" if version else None


def _here() -> tuple[str, str]:
    """Return the Node on PATH and its full version; empty if it does not work."""
    program = shutil.which("node")
    return (program, reported_version(program, "--version", r"\Av(\d+\.\d+\.\d+)\s*\Z")) if program else ("", "")


def _find_node(name: str) -> tuple[Path, str]:
    """Return the Node of this runtime and its full version."""
    own, (program, version) = here(), _here()
    if own is None:
        major = re.sub(r"\D", " ", name).split()[:1]
        raise SetUpFailed("node is not installed", f"install Node {''.join(major)} and put it on PATH")
    if own != name:
        raise SetUpFailed(f"the node on PATH is {own}", f"use {own}, or put another node on PATH")
    return Path(program).resolve(), version
