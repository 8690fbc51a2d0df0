"""The Python probe of sectax; `python -m sectax_probe` speaks `probes/PROTOCOL.md` on stdin and stdout.

Every block of a run is a fresh process, so nothing is imported before it is needed: `hello` imports no
key loader, the layer `primitive` no PyJWT.
"""
