"""The machine and software of a run's sessions."""

from __future__ import annotations

from dataclasses import dataclass, field

# Names of circumstances.
COMMAND_LINE = "sectax.command_line"
REVISION = "revision"  # commit of the user's code
CHANGED = "revision.changed"  # whether files differ from the commit (yes, no)
BOOT = "host.boot_id"  # equal for workers on one machine
# Prefixes of circumstances.
JOB = "ci."
PROOF = "proof."  # proven before anything was timed
FLAW = "flaw."  # defects found by then
SHORT = 12  # printed digits of a commit
LOCAL_HOST = "local"  # the machine that runs sectax


@dataclass(frozen=True)
class Environment:
    """The machine and the software of one session, as flat names and values.

    Attributes:
        identity: facts about this machine that may not change within a run (CPU model, kernel, runtimes, libraries).
        circumstances: facts that may change (load, free memory, current frequency).
        hosts: environments of the other hosts with subjects, by name.
    """

    identity: dict[str, str]
    circumstances: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, Environment] = field(default_factory=dict)

    def revision(self) -> dict[str, str]:
        """The commit, whether files differ from it, and the CI job, if known."""
        return {
            name: value
            for name, value in self.circumstances.items()
            if name in {REVISION, CHANGED} or name.startswith(JOB)
        }

    def whole_identity(self) -> dict[str, str]:
        """The identity of all hosts; names of other hosts' facts have the prefix 'HOST '."""
        return self.identity | {
            f"{host} {name}": value
            for host, environment in self.hosts.items()
            for name, value in environment.identity.items()
        }
