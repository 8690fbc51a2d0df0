"""The sandbox of one function instance: namespaces, CPU quota and memory limit.

    instance = Instance.create(new_folder(), "hello-1", Limits(128, vcpus(128)), [Mount(code, "/var/task")])
    listener = instance.listen("127.0.0.1", 9001)       # a socket in the instance's network
    process = instance.start(["/var/task/bootstrap"], environment, "/var/task", log, log)
    …
    instance.destroy()

All processes of an instance end with the process that created it, even if that is killed. At the next start `sweep`
removes control groups and folders of killed servers.
"""

from lambda_local.sandbox.instance import Instance, Mount, available
from lambda_local.sandbox.launch import InstanceProcess
from lambda_local.sandbox.leftovers import leave, sweep
from lambda_local.sandbox.limits import (
    PERIOD_US,
    VCPU_MB,
    Counters,
    InForce,
    InstanceFailed,
    Limits,
    SandboxMissing,
    vcpus,
)

__all__ = [
    "PERIOD_US",
    "VCPU_MB",
    "Counters",
    "InForce",
    "Instance",
    "InstanceFailed",
    "InstanceProcess",
    "Limits",
    "Mount",
    "SandboxMissing",
    "available",
    "leave",
    "sweep",
    "vcpus",
]
