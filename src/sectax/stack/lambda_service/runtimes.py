"""Says for a runtime's name what runs it here, or why nothing does."""

from __future__ import annotations

from sectax.sandboxes.instance import Mount
from sectax.stack.lambda_service.instances.programs import Runtime
from sectax.toolchain.lambda_runtime.python import MissingInterpreter, PythonRuntime, python_runtime

_PROVIDED = ("provided.al2023", "provided.al2")
_LANG, _CLIENT = "/var/lang", "/var/runtime"


class RuntimeMissing(Exception):
    """Nothing runs it here; the message says why."""


def find(name: str) -> Runtime:
    """What runs functions of this runtime. It may take a while the first time: libraries may have to be installed.

    Raises:
        RuntimeMissing: it is unknown, or not to be had on this machine.
    """
    if name in _PROVIDED:
        return Runtime(None, (), {}, "")
    if name.startswith("python3."):
        try:
            return _python(name, python_runtime(name))
        except MissingInterpreter as error:
            raise RuntimeMissing(f"{name} is not here, because {error.message} ({error.hint})") from error
    if name.startswith("nodejs"):
        raise RuntimeMissing(
            f"{name} is not here, because AWS's runtime client for Node is built natively (autoconf, automake, libtool "
            "and minutes of compiling); python3.x and provided.al2023 are here"
        )
    raise RuntimeMissing(f"{name} is not here, because only python3.x and {_PROVIDED[0]} are")


def _python(name: str, python: PythonRuntime) -> Runtime:
    # As in Lambda's own image: the interpreter in /var/lang, the runtime client in /var/runtime. -S keeps the packages
    # of the machine's interpreter out; the client's bootstrap.py makes the search path.
    argv = (f"{_LANG}/bin/{python.program}", "-S", f"{_CLIENT}/bootstrap.py")
    mounts = (Mount(python.prefix, _LANG), Mount(python.client, _CLIENT))
    return Runtime(argv, mounts, {}, f"AWS_Lambda_{name}")
