"""Other machines as hosts, over the system's ssh client."""

from sectax.hosts.remote.ssh_host import SshHost

__all__ = ["SshHost"]
