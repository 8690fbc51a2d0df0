"""Node for functions: what is missing is reported with what installs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lambda_local.errors import SetUpFailed
from lambda_local.runtimes import node
from lambda_local.runtimes.installing import reported_version
from lambda_local.runtimes.registry import find, lack

NODE = "#!/bin/sh\necho v20.11.1\n"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder on PATH; the cache is empty."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("LAMBDA_LOCAL_CACHE", str(tmp_path / "cache"))
    reported_version.cache_clear()
    return folder


def put(folder: Path, name: str, text: str = "#!/bin/sh\nexit 1\n") -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_a_build_that_fails_is_reported_and_leaves_nothing(programs, tmp_path):
    put(programs, "node", NODE)
    put(programs, "npm", "#!/bin/sh\necho offline\nexit 1\n")

    with pytest.raises(SetUpFailed, match="offline"):
        node.install("nodejs20.x")
    assert not [path for path in (tmp_path / "cache").iterdir() if path.is_dir()]


NPM = """#!/bin/sh
[ "$1" = ci ] || exit 1
mkdir -p node_modules/aws-lambda-ric && cd node_modules/aws-lambda-ric
mkdir bin dist deps
for file in bin/index.mjs dist/rapid-client.node package.json deps/curl.tar.gz; do echo >$file; done
"""


def test_only_the_client_and_the_program_are_installed(programs):
    put(programs, "node", NODE)
    put(programs, "npm", NPM)
    (programs / "mkdir").symlink_to("/bin/mkdir")

    node.install("nodejs20.x")
    client = find("nodejs20.x").source("/var/runtime")

    files = sorted(str(path.relative_to(client)) for path in client.rglob("*") if path.is_file())
    kept = [
        f"node_modules/aws-lambda-ric/{name}" for name in ("bin/index.mjs", "dist/rapid-client.node", "package.json")
    ]
    assert files == ["complete", "lang/node", *kept]
    assert lack("nodejs20.x") == {"client": client.name}
