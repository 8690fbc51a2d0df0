"""The programs of `/usr/bin` in an instance: a shell and basic tools, as in Lambda's image."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

from lambda_local.runtimes import installing

# As in provided.al2023: bash, coreutils, grep, sed, gawk, findutils, gzip, tar and curl.
_NAMES = """
    [ awk base32 base64 basename bash cat chmod comm cp curl cut date dd df dirname du echo egrep env expand expr false
    fgrep find fold gawk getent grep gunzip gzip head hostname id install join kill ln ls mawk md5sum mkdir mkfifo
    mktemp mv nice nl nohup nproc numfmt od paste printenv printf ps pwd readlink realpath rm rmdir sed seq sh sha1sum
    sha256sum sha512sum shuf sleep sort split stat stdbuf stty sync tac tail tar tee test timeout touch tr true truncate
    tty uname unexpand uniq wc which whoami xargs yes zcat
"""
# Other folders of programs in the PATH of Lambda and of shells.
_OTHERS = ("/usr/local/bin", "/usr/local/sbin", "/usr/sbin", "/bin", "/sbin")


@functools.cache
def shell() -> tuple[tuple[Path, str], ...]:
    """Return (folder, target) of copies of these programs, which replace all programs of the machine."""
    folder = _folder()
    # A /bin that links to /usr/bin stays a link; a folder gets the programs of /usr/bin.
    others = [target for target in _OTHERS if Path(target).is_dir() and not Path(target).is_symlink()]
    replaced = [(folder / "programs" if target == "/bin" else no_programs(), target) for target in others]
    return ((folder / "programs", "/usr/bin"), *replaced)


def no_programs() -> Path:
    return _folder() / "none"


@functools.cache
def _folder() -> Path:
    here = {name: shutil.which(name, path="/usr/bin:/bin") for name in _NAMES.split()}
    programs = {name: Path(program).resolve() for name, program in here.items() if program is not None}
    about = repr([(name, path, path.stat().st_size, path.stat().st_mtime_ns) for name, path in programs.items()])

    def make(folder: Path) -> None:
        for part in ("programs", "none"):
            (folder / part).mkdir(parents=True)
        for name, path in programs.items():
            shutil.copyfile(path, folder / "programs" / name)
            (folder / "programs" / name).chmod(0o755)

    return installing.make_once(installing.place("shell", about.encode()), make)
