"""The probes of all languages, each spoken to once for all tests of a module."""

from __future__ import annotations

import functools

from sectax.experiments.on_probe.conversation import Conversation, ProbeProgram
from sectax.parts import probes
from tests.needs import PARTS

# A language, and what it needs.
NEEDS = {
    "php": "php",
    "python": "the Python probe",
    "go": "the Go probe",
    "java": "the Java probe",
    "node": "the Node probe",
    "rust": "the Rust probe",
}
PRESENT = [language for language, part in NEEDS.items() if PARTS[part].is_here()]


@functools.cache
def conversation(language: str) -> Conversation:
    probe = probes.load(language)
    talk = ProbeProgram(probe.command(), probe.folder, 60).start()
    talk.hello()
    return talk


def end_conversations() -> None:
    for language in PRESENT:
        conversation(language).child.kill()
    conversation.cache_clear()
