"""OCI containers on this machine as hosts: isolation, never memory encryption."""

from sectax.hosts.containers.oci_host import OciHost, runtime_word

__all__ = ["OciHost", "runtime_word"]
