"""Folders of sectax's shells below /var/tmp of a host, and their removal."""

from __future__ import annotations

PREFIX = "/var/tmp/sectax-"  # noqa: S108 - followed by random characters
OWNER = ".shell"  # file with the PID of the folder's shell

# Removes the user's folders whose shell has ended.
SWEEP = rf"""
for old in {PREFIX}*/{OWNER}; do
  [ -O "$old" ] && read -r pid <"$old" && ! kill -0 "$pid" && rm -rf "${{old%/{OWNER}}}"
done 2>/dev/null"""
