"""Where a run took place: what must be equal for two sets of blocks to belong to one run."""

from __future__ import annotations

from dataclasses import dataclass, field

# The circumstance that says how the run was called.
COMMAND_LINE = "sectax.command_line"
# Which revision of the user's code was measured, and whether files differed from it (yes, no).
REVISION = "revision"
CHANGED = "revision.changed"
# What the names of a job's circumstances begin with.
JOB = "ci."
# What the names of circumstances begin with that say what was proven before anything was timed, and what was wrong.
PROOF = "proof."
FLAW = "flaw."
# The circumstance by which workers of one machine are known.
BOOT = "host.boot_id"
SHORT = 12  # digits of a commit that are shown, as git log has it
LOCAL_HOST = "local"  # the name of the machine that sectax itself runs on


@dataclass(frozen=True)
class Environment:
    """The machine and the software of one session, as flat names and values.

    Attributes:
        identity: what may not change within a run (CPU model, kernel, runtimes, libraries), of the machine that sectax
            runs on.
        circumstances: what may change (load, free memory, the governor's current frequency) and is only recorded.
        hosts: the same of every other host on which subjects run, by its name.
    """

    identity: dict[str, str]
    circumstances: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, Environment] = field(default_factory=dict)

    def revision(self) -> dict[str, str]:
        """The commit, whether files differed from it, and the job (`ci.NAME`), as far as they are known."""
        return {
            name: value
            for name, value in self.circumstances.items()
            if name in {REVISION, CHANGED} or name.startswith(JOB)
        }

    def whole_identity(self) -> dict[str, str]:
        """The identity of all hosts; the names of the others begin with that of their host and a space."""
        return self.identity | {
            f"{host} {name}": value
            for host, environment in self.hosts.items()
            for name, value in environment.identity.items()
        }
