"""The lifecycle of an instance: its sandbox, programs and sockets, from start to end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import math
import os
import signal
import time
from collections.abc import Callable, Sequence

from lambda_local.function import Function
from lambda_local.http import HttpServer
from lambda_local.instances import programs, runtime_api
from lambda_local.instances.errors import InstanceFailure, extension_exited, init_too_slow, runtime_exited
from lambda_local.instances.extensions_api import MOST, SHUTDOWN, ExtensionsApi
from lambda_local.instances.forwarding import Forwarder
from lambda_local.instances.log import InstanceLog
from lambda_local.instances.programs import Runtime
from lambda_local.instances.runtime_api import RuntimeApi
from lambda_local.sandbox import VCPU_MB, Instance, InstanceFailed, InstanceProcess, Limits, Mount, vcpus
from lambda_local.sandbox.memory import resident_pages
from lambda_local.settings import API_HOST, API_PORT, Settings

# (name, limits, mounts, MB of /tmp) -> sandbox: `Instance.create` with the owner, or a test's own.
MakeBox = Callable[[str, Limits, Sequence[Mount], int], Instance]

# The shutdown phase with an external extension, and with internal ones only; without extensions the runtime is killed
# at once: AWS Lambda Developer Guide, "Lambda execution environment lifecycle". The runtime's share of it is
# runtimeDeadlineShare in AWS's emulator (aws-lambda-runtime-interface-emulator).
_SHUTDOWN_S, _INTERNAL_SHUTDOWN_S = 2.0, 0.5
_RUNTIME_SHARE = 0.3

# An init phase has more CPU than small functions; AWS gives no number. Two vCPUs were measured from outside:
# https://bitesizedserverless.com/bite/lambda-cold-start-bootstrap/
_INIT_VCPUS = 2.0

# Pause between memory checks, in multiples of their duration, since an instance may have a thousand processes.
_PAUSE_FACTOR = 50


class Lifecycle:
    """The resources of one instance. Call `begin` once; `end` is idempotent and possible at any time."""

    def __init__(self, name: str, function: Function, runtime: Runtime, make_box: MakeBox, settings: Settings) -> None:
        self.name = name
        self.gone: InstanceFailure | None = None
        self.init_s: float | None = None
        self.created_s: float | None = None
        self.init_began_ns = 0
        self.max_memory_bytes: int | None = None
        self._statm = -1
        self._watch_from = 0.0
        self.log = InstanceLog()
        self._function = function
        self._runtime = runtime
        self._make_box = make_box
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._log_stream = programs.log_stream()
        self._extension_names = programs.extensions(function)
        self.extensions = ExtensionsApi(function, frozenset(self._extension_names), self._notify)
        self.api = RuntimeApi(self.extensions, self._notify)
        self._server = HttpServer(self.api.handle, runtime_api.LIMITS)
        self._passages = [Forwarder(host, port) for host, port in settings.allow]
        self._making: asyncio.Future[Instance] | None = None
        self._running: dict[str, InstanceProcess] = {}  # by the name of the extension; the runtime's is empty
        self._change: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    @property
    def box(self) -> Instance:
        assert self._making is not None, "the instance was not begun"
        return self._making.result()

    @property
    def all_waiting(self) -> bool:
        return self.api.waiting and self.extensions.all_waiting

    async def begin(self) -> None:
        """Create the sandbox, start extensions and runtime, and wait for their first requests.

        The init phase has a higher CPU quota than the function; the first event starts with a full quota.

        Raises:
            InstanceFailure: a program did not start, exited, reported a failure, or timed out.
            LambdaLocalError: no sandbox is available.
        """
        start_ns = time.monotonic_ns()
        self._making = asyncio.ensure_future(asyncio.to_thread(self._make))
        box = await asyncio.shield(self._making)  # a cancelled caller must not lose it
        await self._server.listen(await asyncio.to_thread(box.listen, API_HOST, API_PORT))
        for passage, (_, port) in zip(self._passages, self._settings.allow, strict=True):
            await passage.open(await asyncio.to_thread(box.listen, API_HOST, port))
        box.groups.set_quota(max(self._share, vcpus(math.ceil(_INIT_VCPUS * VCPU_MB))))
        self.init_began_ns = time.monotonic_ns()
        self.created_s = (self.init_began_ns - start_ns) / 1e9
        await self._init()
        self.init_s = (time.monotonic_ns() - self.init_began_ns) / 1e9
        self.check_memory(always=True)
        box.groups.set_quota(self._share)

    def check_memory(self, *, always: bool = False) -> bool:
        """Measure the memory, and kill the runtime and return False if it is above the limit.

        Args:
            always: whether to measure even if no visible memory has grown.
        """
        if self._making is None or not self._making.done() or self._making.exception() or self._ending is not None:
            return True
        resident = 0
        if self._statm >= 0:
            with contextlib.suppress(OSError):  # it has exited
                resident = resident_pages(os.pread(self._statm, 256, 0))
        if not (self.box.groups.grown(resident) or always):
            return True
        self.max_memory_bytes, over = self.box.groups.measure_memory()
        if over:
            self._signal_runtime(signal.SIGKILL)
        return not over

    def watch(self) -> None:
        """Check the memory, at most 2 % of the server's time."""
        start = self._loop.time()
        if start >= self._watch_from:
            self.check_memory(always=True)
            self._watch_from = start + _PAUSE_FACTOR * (self._loop.time() - start)

    async def until(self, reached: Callable[[], bool], deadline: float) -> bool:
        """Wait for a condition until a deadline of the loop's clock; return whether it was reached.

        Raises:
            InstanceFailure: the instance failed.
        """
        while not reached():
            if self.gone is not None:
                raise self.gone
            if self._loop.time() >= deadline:
                return False
            await self._wait_for_change(deadline)
        return True

    async def end(self, reason: str) -> None:
        """Send SHUTDOWN events (SPINDOWN, TIMEOUT, FAILURE), then stop and remove everything."""
        if self._ending is None:
            self._ending = self._loop.create_task(self._end(reason))
        await asyncio.shield(self._ending)

    @property
    def _share(self) -> float:
        return vcpus(self._function.memory)

    @property
    def _most_init_s(self) -> float:
        """The function's timeout counts too, since Lambda restarts an init phase of 10 s within it."""
        return max(self._settings.init_s, self._function.timeout)

    def _make(self) -> Instance:
        function = self._function
        limits = Limits(function.memory, self._share)
        return self._make_box(self.name, limits, programs.mounts(function, self._runtime), function.tmp)

    async def _init(self) -> None:
        deadline = self._loop.time() + self._most_init_s
        if len(self._extension_names) > MOST:
            raise InstanceFailure("Extension.LaunchError", f"there are more than {MOST} extensions")
        self.log.say(f"INIT_START Runtime Version: {self._runtime.version}\n")
        for name in self._extension_names:
            await self._start(name, (f"{programs.OPT}/extensions/{name}",))
        await self._in_time(lambda: self.extensions.all_registered, deadline)
        command = programs.command(self._function, self._runtime)
        if command is None:
            places = f"{programs.TASK}/bootstrap {programs.OPT}/bootstrap"
            raise InstanceFailure("Runtime.InvalidEntrypoint", f"Couldn't find valid bootstrap(s): [{places}]")
        await self._start("", command)
        self.log.close_writing()
        await self._in_time(lambda: self.all_waiting, deadline)
        self.extensions.closed = True
        for line in self.extensions.log_lines():
            self.log.say(line)

    async def _in_time(self, reached: Callable[[], bool], deadline: float) -> None:
        if not await self.until(lambda: self._failed_init() or reached(), deadline):
            raise init_too_slow(self._most_init_s)

    def _failed_init(self) -> bool:
        failure = self.api.init_error or self.extensions.failure
        if failure is not None:
            raise failure
        return False

    async def _start(self, name: str, argv: tuple[str, ...]) -> None:
        environment = programs.environment(self._function, self._runtime, self._log_stream)
        start = functools.partial(self.box.start, argv, environment, programs.TASK, self.log.writing, self.log.writing)
        try:
            process = await asyncio.to_thread(start)
        except InstanceFailed as error:
            raise InstanceFailure(
                "Extension.LaunchError" if name else "Runtime.InvalidEntrypoint", str(error)
            ) from error
        self._running[name] = process
        if not name:
            with contextlib.suppress(OSError):  # it has already exited
                self._statm = os.open(f"/proc/{process.pid}/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._loop.add_reader(process.fileno(), self._exited, name)

    def _exited(self, name: str) -> None:
        process = self._running.pop(name)
        self._loop.remove_reader(process.fileno())
        status = process.poll() or 0
        if self.gone is None:
            self.gone = extension_exited(status) if name else runtime_exited(status)
            # An extension exits by itself after it reports an error.
            self.gone = self.extensions.failure or self.gone
        self._notify()

    def _wait_for_change(self, deadline: float) -> asyncio.Future[None]:
        """Return a future that is done at the next change or the deadline; spurious wake-ups are possible."""
        # The timer is reused across events, which is cheaper than a timer for each.
        if self._timer is None or self._timer.when() > deadline:
            self._cancel_timer()
            self._timer = self._loop.call_at(deadline, self._time_is_up)
        self._change = self._loop.create_future()
        return self._change

    def _time_is_up(self) -> None:
        self._timer = None
        self._notify()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _notify(self) -> None:
        if self._change is not None and not self._change.done():
            self._change.set_result(None)

    async def _end(self, reason: str) -> None:
        self.gone = self.gone or InstanceFailure("Sandbox.Failure", "the instance was ended")
        self._notify()
        if self._making is not None:
            await asyncio.wait([self._making])
        if self._making is not None and self._making.exception() is None:
            self.box.groups.freezer.thaw()
            if reason != "SPINDOWN":
                self._signal_runtime(signal.SIGKILL)
            if self.extensions.any_registered:
                await self._shut_down(reason)
            for process in self._running.values():
                self._loop.remove_reader(process.fileno())
            self._server.close()
            for passage in self._passages:
                passage.close()
            await asyncio.to_thread(self.box.destroy)
        if self._statm >= 0:
            os.close(self._statm)
            self._statm = -1
        self._cancel_timer()
        self.log.close()

    async def _shut_down(self, reason: str) -> None:
        """Stop the runtime, then the extensions with SHUTDOWN events."""
        start = self._loop.time()
        self._signal_runtime(signal.SIGTERM)
        announced = self.extensions.any_receives(SHUTDOWN)
        runtime_s = _RUNTIME_SHARE * _SHUTDOWN_S if announced else _INTERNAL_SHUTDOWN_S
        await self._ended(lambda: "" in self._running, start + runtime_s)
        self._signal_runtime(signal.SIGKILL)
        if announced:
            left_s = start + _SHUTDOWN_S - self._loop.time()
            self.extensions.send_shutdown(reason, round((time.time() + left_s) * 1e3))
            await self._ended(lambda: any(self._running), start + _SHUTDOWN_S)  # extensions have a name

    async def _ended(self, running: Callable[[], bool], deadline: float) -> None:
        while running() and self._loop.time() < deadline:
            await self._wait_for_change(deadline)

    def _signal_runtime(self, number: int) -> None:
        runtime = self._running.get("")
        if runtime is not None:
            runtime.kill(number)
