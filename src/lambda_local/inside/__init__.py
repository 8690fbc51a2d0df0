"""What runs within an instance: a program of its own, started by `sandboxes.instance`, with the standard library alone.

It lives beside `instance`, not in it, so that starting it imports nothing of the owner's side: every millisecond here
is a millisecond of each cold start.
"""
