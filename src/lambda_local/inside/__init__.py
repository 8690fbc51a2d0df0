"""The program inside an instance: `sandbox.launch` starts it, and it needs the standard library alone.

It is outside of `sandbox`, so that it imports nothing of the side that starts it: each millisecond here is a
millisecond of every cold start.
"""
