"""Defects in what `openssl speed` prints."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng, each_match, times

_ROW = re.compile(r"^(\S+(?: \S+)*?)(\s{2,})((?:[\d.]+k\s+){2,}[\d.]+k)(.*)$", re.MULTILINE)
_RSA = re.compile(r"^(rsa +)(\d+)( bits +)([\d.]+)s( +)([\d.]+)s( +)([\d.]+)( +)([\d.]+)$", re.MULTILINE)

# With the lines on the way that it prints on stderr: `openssl speed sha256 aes-128-cbc rsa2048 2>&1`.
_DOING = """Doing sha256 for 3s on 16 size blocks: 13208917 sha256's in 2.99s
Doing sha256 for 3s on 64 size blocks: 10106531 sha256's in 3.00s
Doing sha256 for 3s on 256 size blocks: 6011264 sha256's in 3.00s
Doing sha256 for 3s on 1024 size blocks: 2342081 sha256's in 2.99s
Doing sha256 for 3s on 8192 size blocks: 345103 sha256's in 3.00s
Doing sha256 for 3s on 16384 size blocks: 175012 sha256's in 3.00s
Doing 2048 bits private rsa's for 10s: 18211 2048 bits private RSA's in 9.98s
Doing 2048 bits public rsa's for 10s: 631210 2048 bits public RSA's in 9.99s
version: 3.0.13
built on: Thu Feb  5 13:22:47 2026 UTC
options: bn(64,64)
compiler: gcc -fPIC -pthread -m64 -Wa,--noexecstack -Wall -O3
CPUINFO: OPENSSL_ia32cap=0xfffa3203578bffff:0x7a9
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
sha256           70683.17k   215605.99k   512961.19k   802100.98k   942361.26k   955798.87k
                  sign    verify    sign/s verify/s
rsa 2048 bits 0.000548s 0.000016s   1824.7  63184.2
"""
_TWO_BUILDS = """version: 3.0.13
built on: Thu Feb  5 13:22:47 2026 UTC
options: bn(64,64)
compiler: gcc -fPIC -pthread -m64 -Wall -O3
CPUINFO: OPENSSL_ia32cap=0xfffa3203578bffff:0x7a9
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
AES-128-CBC     718231.02k  1201331.11k  1288231.94k  1301122.05k  1309441.02k  1309761.11k
AES-256-CBC     590112.41k   880112.11k   930112.51k   941772.80k   946411.52k   947110.23k
version: 3.0.13
built on: Thu Feb  5 13:22:47 2026 UTC
options: bn(64,64)
compiler: gcc -fPIC -pthread -m64 -Wall -O3
CPUINFO: OPENSSL_ia32cap=0xfffa3203578bffff:0x7a9
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
sha256           70683.17k   215605.99k   512961.19k   802100.98k   942361.26k   955798.87k
"""


def _cells(change: Callable[[list[float]], list[float] | None], named: str = "") -> Plant:
    """A plant that changes the throughputs of the last row whose name matches."""

    def put(text: str, _: Rng) -> str | None:
        rows = [row for row in _ROW.finditer(text) if re.search(named, row[1]) and len(row[3].split()) >= 5]
        if not rows:
            return None
        row = rows[-1]
        changed = change([float(word.rstrip("k")) for word in row[3].split()])
        if changed is None:
            return None
        cells = " ".join(f"{speed:11.2f}k" for speed in changed)
        return f"{text[: row.start(3)]}{cells}{text[row.end(3) :]}"

    return put


def _second_row(change: Callable[[list[float]], list[float]]) -> Plant:
    """The last row in the place of the one before, under that one's name."""

    def put(text: str, _: Rng) -> str | None:
        rows = list(_ROW.finditer(text))
        if len(rows) < 2 or rows[-1][3] == rows[-2][3] or rows[-1][1] == rows[-2][1]:
            return None
        cells = " ".join(
            f"{speed:11.2f}k" for speed in change([float(word.rstrip("k")) for word in rows[-1][3].split()])
        )
        return f"{text[: rows[-2].start(3)]}{cells}{text[rows[-2].end(3) :]}"

    return put


def _rsa(change: Callable[[re.Match[str]], str]) -> Plant:
    return each_match(_RSA.pattern, change, last=True)


def _swapped(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{found[3]}{found[6]}s{found[5]}{found[4]}s{found[7]}{found[10]}{found[9]}{found[8]}"


def _same_keys(text: str, _: Rng) -> str | None:
    rows = list(_RSA.finditer(text))
    if len(rows) < 2:
        return None
    one, other = rows[-2:]
    tail = "".join(other[at] for at in range(4, 5)) + f"s{other[5]}{other[6]}s{other[7]}{other[8]}{other[9]}{other[10]}"
    return f"{text[: one.start(4)]}{tail}{text[one.end() :]}"


def _second_head(pattern: str, changed: str) -> Plant:
    """The second build's line of a text of two."""

    def put(text: str, _: Rng) -> str | None:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        return f"{text[: found[-1].start()]}{changed}{text[found[-1].end() :]}" if len(found) > 1 else None

    return put


_KINDS = (
    Kind(
        "falls to half with the block size",
        "W contradiction|flat-with-size",
        _cells(lambda cells: [*cells[:-1], cells[-1] * 0.5]),
    ),
    Kind(
        "one column ten times",
        "F contradiction or W contradiction",
        _cells(lambda cells: [*cells[:2], cells[2] * 10, *cells[3:]]),
    ),
    Kind(
        "one column a tenth",
        "F contradiction or W contradiction",
        _cells(lambda cells: [*cells[:3], cells[3] / 10, *cells[4:]]),
    ),
    Kind("a larger block in less time", "F contradiction", _cells(lambda cells: [cells[0], cells[0] * 7, *cells[2:]])),
    Kind(
        "two columns exchanged",
        "F contradiction or W contradiction",
        _cells(lambda cells: [cells[4], *cells[1:4], cells[0], *cells[5:]] if cells[4] > 2.5 * cells[0] else None),
    ),
    Kind(
        "a hash as fast at 16 bytes as at 8 KiB",
        "F contradiction or W contradiction",
        _cells(lambda cells: [cells[-1] * (0.985 + 0.003 * at) for at in range(len(cells))], "(?i)sha|md5"),
    ),
    Kind("a row copied under another name", "F copied-data", _second_row(lambda cells: cells)),
    Kind(
        "a row copied times 1.1 under another name",
        "F copied-data",
        _second_row(lambda cells: [1.1 * cell for cell in cells]),
    ),
    Kind("RSA signs faster than it verifies", "F contradiction|mislabelled-level", _rsa(_swapped)),
    Kind("two key sizes with one rate", "F contradiction|copied-data|mislabelled-level", _same_keys),
    Kind("time beside its rate", "F contradiction", times(r"^rsa +\d+ bits +(?P<n>[\d.]+)s", 2.0, last=True)),
    Kind(
        "rate beside its time",
        "F contradiction",
        times(r"^rsa +\d+ bits +[\d.]+s +[\d.]+s +(?P<n>[\d.]+)", 1.4, last=True),
    ),
    Kind(
        "count over time is not the throughput",
        "F contradiction",
        each_match(r"(on 8192 size blocks: )(\d+)", lambda found: f"{found[1]}{2 * int(found[2])}"),
    ),
    Kind(
        "count over time is not the rate",
        "F contradiction",
        each_match(r"(private rsa.*: )(\d+)( )", lambda found: f"{found[1]}{2 * int(found[2])}{found[3]}"),
    ),
    Kind(
        "half of the processor",
        "W contradiction|modes",
        each_match(
            r"(\d+)( sha256's in )([\d.]+)s", lambda found: f"{int(found[1]) // 2}{found[2]}{float(found[3]) / 2:.2f}s"
        ),
    ),
    Kind(
        "other seconds for one size",
        "W contradiction|said-by-the-tool",
        each_match(
            r"Doing sha256 for 3s on 8192 size blocks: (\d+) sha256's in 3.00s",
            lambda found: f"Doing sha256 for 1s on 8192 size blocks: {int(found[1]) // 3} sha256's in 1.00s",
        ),
    ),
    Kind(
        "capabilities switched off",
        "W said-by-the-tool|contradiction",
        each_match(r"^(CPUINFO: OPENSSL_ia32cap=\S+).*$", lambda found: f"{found[1]} env:~0x200000200000000"),
    ),
    Kind(
        "capabilities differ between two",
        "W contradiction|said-by-the-tool",
        _second_head(r"^CPUINFO: .*$", "CPUINFO: OPENSSL_ia32cap=0xfffa32015389ffff:0x7a9"),
    ),
    Kind(
        "versions differ between two",
        "W contradiction|apples-and-oranges",
        _second_head(r"^version: .*$", "version: 1.1.1"),
    ),
    Kind(
        "builds differ between two",
        "W contradiction|said-by-the-tool",
        _second_head(r"^built on: .*$", "built on: Mon Jan  1 00:00:00 2024 UTC"),
    ),
    Kind(
        "compilers differ between two",
        "W contradiction|said-by-the-tool",
        _second_head(r"^compiler: .*$", "compiler: gcc -O0 -DOPENSSL_NO_ASM"),
    ),
    Kind(
        "many processes on one side",
        "W contradiction|said-by-the-tool",
        _second_head(
            r"^version: .*$", "Forked child 0\nForked child 1\nForked child 2\nForked child 3\nversion: 3.0.13"
        ),
    ),
    Kind(
        "elapsed time on one side",
        "W contradiction|said-by-the-tool",
        _second_head(
            r"^version: .*$", "You have chosen to measure elapsed time instead of user CPU time.\nversion: 3.0.13"
        ),
    ),
    Kind("0.00", "F zero-event-run", _cells(lambda cells: [0.0 for _ in cells])),
    Kind("Invalid engine", "W said-by-the-tool", lambda text, _: f'Invalid engine "qat"\n{text}'),
    Kind(
        "AES-256 faster than AES-128",
        "W contradiction",
        each_match(
            r"^(AES-256-CBC +)(.*)$",
            lambda found: f"{found[1]} 790112.41k  1480112.11k  1530112.51k  1541772.80k  1546411.52k  1547110.23k",
        ),
    ),
)

FORMATS = (
    Format(
        "openssl-speed",
        _KINDS,
        samples=("openssl-agreement.txt", "openssl-signatures.txt", "openssl-multi.txt", "openssl-aes.txt"),
        prints=("openssl-speed",),
        others={"with the lines on the way": _DOING, "two builds": _TWO_BUILDS},
    ),
)
