"""Says for a runtime's name what runs it here, or why nothing does."""

from __future__ import annotations

import dataclasses

from lambda_local.instances.programs import TASK, Runtime
from lambda_local.runtimes.java import JavaRuntime, java_runtime
from lambda_local.runtimes.node import NodeRuntime, node_runtime
from lambda_local.runtimes.python import PythonRuntime, python_runtime
from lambda_local.runtimes.shell import no_programs, shell
from lambda_local.sandbox import Mount
from sectax.toolchain.installer import SetUpFailed

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
        runtime = _find(name)
        programs = [Mount(folder, place) for folder, place in shell()]
    except OSError as error:
        raise RuntimeMissing(f"{name} is not here, because the cache cannot be written: {error}") from error
    return dataclasses.replace(runtime, mounts=(*programs, *runtime.mounts))


def _find(name: str) -> Runtime:
    if name in _PROVIDED:
        return Runtime(None, (), {}, "")
    try:
        if name.startswith("python3."):
            return _python(name, python_runtime(name))
        if name.startswith("nodejs"):
            return _node(name, node_runtime(name))
        if name.startswith("java"):
            return _java(name, java_runtime(name))
    except SetUpFailed as error:
        raise RuntimeMissing(f"{name} is not here, because {error.message} ({error.hint})") from error
    raise RuntimeMissing(f"{name} is not here, because only python3.x, nodejs, java and {_PROVIDED[0]} are")


def _python(name: str, python: PythonRuntime) -> Runtime:
    # As in Lambda's own image: the interpreter in /var/lang, the runtime client in /var/runtime. -S keeps the packages
    # of the machine's interpreter out; the client's bootstrap.py makes the search path.
    argv = (f"{_LANG}/bin/{python.program}", "-S", f"{_CLIENT}/bootstrap.py")
    interpreter = Mount(python.client / "lang", f"{_LANG}/bin")
    empty = [Mount(no_programs(), f"{_LANG}/{name}") for name in _PROGRAMS if (python.prefix / name).is_dir()]
    mounts = (Mount(python.prefix, _LANG), interpreter, *empty, Mount(python.client, _CLIENT))
    return Runtime(argv, mounts, {}, f"AWS_Lambda_{name}")


def _node(name: str, node: NodeRuntime) -> Runtime:
    major = name.removeprefix("nodejs").removesuffix(".x")
    # Where `require` looks: AWS Lambda Developer Guide, "Building Lambda functions with Node.js", layers.
    folders = (f"/opt/nodejs/node{major}/node_modules", "/opt/nodejs/node_modules", f"{_CLIENT}/node_modules", _CLIENT)
    argv = (f"{_LANG}/bin/node", f"{_CLIENT}/node_modules/aws-lambda-ric/bin/index.mjs")
    mounts = (Mount(node.client / "lang", f"{_LANG}/bin"), Mount(node.client, _CLIENT))
    return Runtime(argv, mounts, {"NODE_PATH": ":".join((*folders, TASK))}, f"AWS_Lambda_{name}")


def _java(name: str, java: JavaRuntime) -> Runtime:
    # As printed by a function in Lambda itself, for Java 8, 11 and 17 at 128 to 10240 MB: the folder `data` of
    # https://github.com/sigpwned/the-lambda-iceberg-dissecting-the-official-java-runtimes. The heap is 85 % of the
    # memory; of less than 200 MB the JVM takes the other percentage.
    heap = ("-XX:MaxRAMPercentage=85", "-XX:MinRAMPercentage=85")
    with_c1 = int(name.removeprefix("java")) >= _JAVA_WITH_C1
    compiler = "-XX:TieredStopAtLevel=1" if with_c1 else "-XX:-TieredCompilation"
    main = "com.amazonaws.services.lambda.runtime.api.client.AWSLambda"
    argv = (f"{_LANG}/bin/java", *heap, "-XX:+UseSerialGC", compiler, "-cp", f"{_CLIENT}/*", main)
    return Runtime(argv, (Mount(java.home, _LANG), Mount(java.client, _CLIENT)), {}, f"AWS_Lambda_{name}")
