"""Other machines as hosts, over the system's ssh client."""

from sectax.sandboxes.remote.ssh_host import SshHost

__all__ = ["SshHost"]
