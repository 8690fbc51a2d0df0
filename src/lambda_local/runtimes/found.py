"""The runtimes by their names: what runs each here, what it lacks, and how that is installed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

from lambda_local.errors import SetUpFailed
from lambda_local.instances.programs import TASK, Runtime
from lambda_local.runtimes import java, node, python
from lambda_local.runtimes.installing import Missing
from lambda_local.runtimes.shell import no_programs, shell
from lambda_local.sandbox import Mount

_PROVIDED = ("provided.al2023", "provided.al2")
_LANG, _CLIENT = "/var/lang", "/var/runtime"
# Folders of programs below an interpreter's prefix. Where that is /usr, they hold all programs of the machine.
_PROGRAMS = ("sbin", "games", "local/bin", "local/sbin", "local/games")
_JAVA_WITH_C1 = 17  # and later: AWS Lambda Developer Guide, "Customize Java runtime startup behavior"


class RuntimeMissing(Exception):
    """Nothing runs it here; the message says why."""


def find(name: str) -> Runtime:
    """What runs functions of this runtime. It may take a while the first time: libraries may have to be installed.

    Raises:
        RuntimeMissing: it is unknown, or not to be had on this machine.
    """
    try:
        runtime = Runtime(None, (), {}, "", f"provided:{name[9:]}") if name in _PROVIDED else _language(name).find(name)
        programs = [Mount(folder, place) for folder, place in shell()]
    except SetUpFailed as error:
        raise RuntimeMissing(f"{name} is not here, because {error.message} ({error.hint})") from error
    except OSError as error:
        raise RuntimeMissing(f"{name} is not here, because the cache cannot be written: {error}") from error
    return dataclasses.replace(runtime, mounts=(*programs, *runtime.mounts))


def here() -> list[str]:
    """The runtimes that this machine's own programs give."""
    return [name for name in (python.here(), node.here(), java.here()) if name is not None]


def lack(name: str) -> dict[str, Any]:
    """What is missing here to have the runtime of this name, as members of a document; `client` where it is ready.

    The client's name has a hash of all that it is made of.
    """
    try:
        missing = _language(name).missing(name)
        if missing is None:
            mounts = _language(name).find(name).mounts
            return {"client": next(mount.source.name for mount in mounts if mount.target == _CLIENT)}
    except SetUpFailed as error:
        missing = Missing(error.message, error.hint)
    return dataclasses.asdict(missing)


def install(name: str) -> None:
    """Install AWS's runtime client for a runtime that only lacks that. Raises `SetUpFailed`."""
    _language(name).install(name)


def _python(name: str, of: python.PythonRuntime) -> Runtime:
    # As in Lambda's own image: the interpreter in /var/lang, the runtime client in /var/runtime. -S keeps the packages
    # of the machine's interpreter out; the client's bootstrap.py makes the search path.
    argv = (f"{_LANG}/bin/{of.program}", "-S", f"{_CLIENT}/bootstrap.py")
    interpreter = Mount(of.client / "lang", f"{_LANG}/bin")
    empty = [Mount(no_programs(), f"{_LANG}/{name}") for name in _PROGRAMS if (of.prefix / name).is_dir()]
    mounts = (Mount(of.prefix, _LANG), interpreter, *empty, Mount(of.client, _CLIENT))
    return Runtime(argv, mounts, {}, f"AWS_Lambda_{name}", f"python:{of.version}")


def _node(name: str, of: node.NodeRuntime) -> Runtime:
    major = name.removeprefix("nodejs").removesuffix(".x")
    # Where `require` looks: AWS Lambda Developer Guide, "Building Lambda functions with Node.js", layers.
    folders = (f"/opt/nodejs/node{major}/node_modules", "/opt/nodejs/node_modules", f"{_CLIENT}/node_modules", _CLIENT)
    argv = (f"{_LANG}/bin/node", f"{_CLIENT}/node_modules/aws-lambda-ric/bin/index.mjs")
    mounts = (Mount(of.client / "lang", f"{_LANG}/bin"), Mount(of.client, _CLIENT))
    return Runtime(
        argv, mounts, {"NODE_PATH": ":".join((*folders, TASK))}, f"AWS_Lambda_{name}", f"nodejs:{of.version}"
    )


def _java(name: str, of: java.JavaRuntime) -> Runtime:
    # As printed by a function in Lambda itself, for Java 8, 11 and 17 at 128 to 10240 MB: the folder `data` of
    # https://github.com/sigpwned/the-lambda-iceberg-dissecting-the-official-java-runtimes. The heap is 85 % of the
    # memory; of less than 200 MB the JVM takes the other percentage.
    heap = ("-XX:MaxRAMPercentage=85", "-XX:MinRAMPercentage=85")
    with_c1 = int(name.removeprefix("java")) >= _JAVA_WITH_C1
    compiler = "-XX:TieredStopAtLevel=1" if with_c1 else "-XX:-TieredCompilation"
    main = "com.amazonaws.services.lambda.runtime.api.client.AWSLambda"
    argv = (f"{_LANG}/bin/java", *heap, "-XX:+UseSerialGC", compiler, "-cp", f"{_CLIENT}/*", main)
    mounts = (Mount(of.home, _LANG), Mount(of.client, _CLIENT))
    return Runtime(argv, mounts, {}, f"AWS_Lambda_{name}", f"java:{name.removeprefix('java')}")


class _Language(NamedTuple):
    """What there is to a managed runtime; each takes its name."""

    find: Callable[[str], Runtime]
    missing: Callable[[str], Missing | None]
    install: Callable[[str], object]


# By the beginning of a runtime's name.
_LANGUAGES = {
    "python3.": _Language(
        lambda name: _python(name, python.python_runtime(name)), python.missing, python.python_runtime
    ),
    "nodejs": _Language(lambda name: _node(name, node.node_runtime(name)), node.missing, node.install),
    "java": _Language(lambda name: _java(name, java.java_runtime(name)), java.missing, java.install),
}


def _language(name: str) -> _Language:
    found = next((language for beginning, language in _LANGUAGES.items() if name.startswith(beginning)), None)
    if found is None:
        raise SetUpFailed(f"only python3.x, nodejs, java and {_PROVIDED[0]} are", "name one of them")
    return found
