"""`cryptsetup benchmark`: src/cryptsetup.c of cryptsetup 1.6 and 2."""

from __future__ import annotations

from sectax.audit.form import Quantity
from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import read

_OPERATIONS = ("encryption", "decryption")


def _shape(records: list[Record]) -> list[Record]:
    results = []
    for record in records:
        # Its decimal sign is that of the language.
        texts = {name: text.replace(",", ".") for name in _OPERATIONS if (text := record.text(name)) is not None}
        speeds = {name: read("B/s", f"{text} MiB") for name, text in texts.items()}
        results += [] if speeds or "level.cipher" in record.fields else [record]
        for operation, speed in speeds.items():
            results.append(Record(record.line, dict(record.fields), ended=True))
            results[-1].put({"operation": operation, "bandwidth": speed}, {"operation": operation})
    return results


CRYPTSETUP = Text(
    name="cryptsetup",
    title="the output of cryptsetup benchmark",
    means="Approximate, of a buffer in memory by one thread, no disk; argon2's iterations are those of the asked time.",
    rows=(
        r"(?=PBKDF2-){level.function:w} {rate:n} iterations per second(?: for {option.key_bits:w}-bit key)?$",
        r"(?=argon2){level.function:w} {iterations.one:n} iterations, {option.memory_kib:n} memory, {option.threads:n}",
        r"{level.cipher:w} (?=\d{2,4}b\s){level.key:w} (?:N/A|{encryption:w} MiB/s) (?:N/A|{decryption:w} MiB/s)$",
    ),
    warns=(r"Required kernel crypto interface not available", r"Cipher \S{1,60} .{0,40}is not available"),
    quantities={"iterations": Quantity.COUNT},
    shape=_shape,
)
