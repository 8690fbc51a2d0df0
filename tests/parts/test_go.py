"""A Go that is new enough is found, fetched with an older one, or asked for in words that say what to install."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sectax.experiments.s3 import parts as s3_parts
from sectax.parts import go, gvisor
from sectax.parts.installer import SetUpFailed

RELEASE = f"go{go.RELEASE}.linux-{go.architecture()}"
VOUCHING = ("GOENV", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOINSECURE", "GOFLAGS", "GOPROXY")
# What Go says of itself, and what it leaves when it has fetched a release: no modes, and a go.mod under another name.
# A file `sum` beside it has the sum that comes, and `seen` will have the environment that it was handed.
SAYS = "#!/bin/sh\necho go version {} linux/amd64\n"
FETCHES = """#!/bin/sh
[ "$1" = version ] && echo go version go1.19.8 linux/amd64 && exit
[ "$1" = env ] && echo "${GOPROXY-https://proxy.example.org,direct}" && exit
export -p >"${0%/*}/seen"
read -r sum <"${0%/*}/sum"
case "$4" in golang.org/toolchain@v0.0.1-go@RELEASE@.*) ;; *) echo "no such module: $4" >&2; exit 1 ;; esac
folder="$GOMODCACHE/golang.org/toolchain"
mkdir -p "$folder/bin" "$folder/pkg/tool/linux" "$folder/src"
{
    echo '#!/bin/sh'
    echo 'while [ "$#" -gt 0 ]; do [ "$1" != -o ] || echo built >"$2"; shift; done'
    echo 'echo go version go@RELEASE@ linux/amd64'
} >"$folder/bin/go"
echo >"$folder/pkg/tool/linux/compile"
echo module std >"$folder/src/_go.mod"
echo "{\\"Dir\\": \\"$folder\\", \\"Sum\\": \\"$sum\\"}"
""".replace("@RELEASE@", go.RELEASE)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is first on PATH; the cache is empty."""
    folder = tmp_path / "programs"
    folder.mkdir()
    # The shell's own words for files, but no Go of this machine.
    for name in ("sh", "mkdir", "cp"):
        (folder / name).symlink_to(next(path for path in (Path("/bin", name), Path("/usr/bin", name)) if path.exists()))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    return folder


def install(folder: Path, source: str, name: str = "go") -> Path:
    program = folder / name
    program.write_text(source)
    program.chmod(0o755)
    (program.parent / "sum").write_text(go.SUMS[RELEASE] + "\n")
    return program


@pytest.mark.parametrize("release", ["go1.26.0", "go1.26.8", "go1.30", "go1.30rc1", "go2.0.0"])
def test_a_go_on_path_that_is_new_enough_is_taken(programs, release):
    program = install(programs, SAYS.format(release))

    assert go.find("1.26.0") == program
    assert go.missing("1.26.0") is None


def test_without_any_go_the_package_and_the_release_are_named(programs, agreed):
    lack = go.missing("1.26.0")

    agreed(lack.reason, lack.hint)
    assert lack.apt == ("golang-go",)


def test_an_older_one_fetches_a_release_that_then_works(programs):
    install(programs, FETCHES)

    go.fetch("1.26.0")

    program = go.find("1.26.0")
    assert go.installed_version(program) == f"go{go.RELEASE}"
    top = program.parents[1]
    assert os.access(top / "pkg/tool/linux/compile", os.X_OK)
    assert (top / "src/go.mod").read_text() == "module std\n"
    assert os.listdir(top.parent) == [top.name]


def handed_on(programs: Path) -> dict[str, str]:
    """What the Go that fetched was told by its environment; what it lacked is lacking."""
    exported = (line.removeprefix("export ").partition("=") for line in (programs / "seen").read_text().splitlines())
    told = {name: value.strip("'\"") for name, _, value in exported}
    return {name: told[name] for name in VOUCHING if name in told}


def test_no_setting_of_the_user_spares_a_release_the_checksum_database(programs, monkeypatch):
    install(programs, FETCHES)
    for name in VOUCHING:
        monkeypatch.setenv(name, {"GOSUMDB": "off", "GOENV": "/their/own"}.get(name, "golang.org"))
    monkeypatch.setenv("GOPROXY", "https://proxy.example.org")

    go.fetch("1.26.0")

    assert handed_on(programs) == {
        "GOENV": "off",
        "GOSUMDB": "sum.golang.org",
        "GONOSUMDB": "",
        "GONOSUMCHECK": "",
        "GOPRIVATE": "",
        "GOINSECURE": "",
        "GOFLAGS": "-modcacherw",
        "GOPROXY": "https://proxy.example.org",
    }


@pytest.mark.parametrize("folder", ["file:///srv/modules", "FILE:///srv/modules", "file:///srv/modules,direct"])
def test_a_folder_is_no_proxy_for_a_release(programs, monkeypatch, folder):
    install(programs, FETCHES)
    monkeypatch.setenv("GOPROXY", folder)

    go.fetch("1.26.0")

    assert handed_on(programs)["GOPROXY"] == ""


def test_a_release_of_another_sum_is_refused_and_nothing_of_it_is_used(programs, tmp_path):
    install(programs, FETCHES)
    (programs / "sum").write_text("h1:AAAA=\n")

    with pytest.raises(SetUpFailed, match=f"{RELEASE} .*h1:AAAA=.* h1:") as raised:
        go.fetch("1.26.0")

    assert "GOPROXY" in raised.value.hint
    assert go.find("1.26.0") is None
    assert os.listdir(tmp_path / "cache" / "go") == []


def test_one_release_whose_sums_are_known_is_new_enough_for_everything():
    root = Path(__file__).parents[2]
    modules = [*root.glob("functions/*/go/go.mod"), *root.glob("clients/*/go.mod")]
    versions = [*map(go.wanted, modules), s3_parts.minio().go_version, gvisor.GO]

    assert len(modules) >= 3
    assert {go.release_to_fetch(version) for version in versions} == {go.RELEASE}
    assert go.SUMS.keys() == {f"go{go.RELEASE}.linux-{processor}" for processor in ("amd64", "arm64")}


@pytest.mark.parametrize(("line", "version"), [("go 1.26.0", "1.26.0"), ("go 1.22", "1.22.0")])
def test_the_version_is_the_one_that_the_module_states(tmp_path, line, version):
    (tmp_path / "go.mod").write_text(f"module m\n\n{line}\n\ntoolchain go9.9.9\n")

    assert go.wanted(tmp_path / "go.mod") == version
