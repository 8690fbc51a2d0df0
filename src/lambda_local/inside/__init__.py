"""The program that runs inside an instance, started by `sandbox.launch`; it uses the standard library only.

It is a separate package so that it imports nothing else: its start is part of each cold start.
"""
