"""The probe protocol: messages and the session between sectax and a probe. No I/O.

The protocol itself is described in `probes/PROTOCOL.md`.
"""
