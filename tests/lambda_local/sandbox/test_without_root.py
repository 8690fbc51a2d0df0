"""An owner who is not root, without control groups (a delegation by systemd is not run here)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import lambda_local
from tests.needs import needs

pytestmark = needs("root")

_NOBODY = 65534
_CODE = """
import json, os, select, sys
sys.path.insert(0, sys.argv[1])
from lambda_local.sandbox import Instance, Limits, SandboxMissing, available, leave
from lambda_local.sandbox.groups import Groups
from lambda_local.work_folder import new_folder
try:
    refusal = ["made", available()]
except SandboxMissing as missing:
    refusal = [missing.message, missing.hint]
Groups.make = lambda self, limits: None  # everything else is there
folder = new_folder()
box = Instance.create(folder, "box", Limits(128, 0.5), [])
reading, writing = os.pipe()
process = box.start(["/bin/sh", "-c", "id -u; touch /usr/x || echo refused; kill -9 1 && echo $$"],
                    {"PATH": "/usr/bin:/bin"}, "/tmp", writing, os.open("/dev/null", os.O_WRONLY))
select.select([process], [], [], 60)
status = process.poll()
os.close(writing)
box.destroy()
leave(folder)
print(json.dumps({
    "refusal": refusal, "status": status, "text": os.read(reading, 1000).decode().split(), "left": folder.path.exists(),
}))
"""


def _system_python() -> str | None:
    """An interpreter that every user may run; a developer's own often lies in a home."""
    python = Path("/usr/bin/python3")
    asked = [str(python), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    return str(python) if python.exists() and subprocess.run(asked, check=False).returncode == 0 else None


@needs("namespaces", "a Python for all users")
def test_only_control_groups_are_lacking_and_the_reason_is_given() -> None:
    python = _system_python()
    assert python is not None
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - for the other user
        source = Path(lambda_local.__file__).parent
        shutil.copytree(source, Path(folder) / source.name, ignore=shutil.ignore_patterns("*.pyc"))
        argv = [python, "-I", "-c", _CODE, folder]
        ran = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            user=_NOBODY,
            group=_NOBODY,
            extra_groups=[],
            cwd="/",
            env={},
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)

    assert "root" in document["refusal"][1]
    assert document["status"] == 0
    # kill -9 of init from inside is heard by nobody, so the shell comes to its last word; it is process 2.
    assert document["text"][:2] == ["993", "refused"]
    assert len(document["text"]) == 3
    assert document["left"] is False
