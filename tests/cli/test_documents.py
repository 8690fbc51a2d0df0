"""`--json` prints one document, and the small ones hold what docs/json.md says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.program import sectax
from tests.schemas import SCHEMAS, follows_its_schema

MEMBERS = {
    ("list",): ("sectax/list/2", {"experiments", "probes", "studies"}),
    ("doctor",): ("sectax/doctor/2", {"symptoms"}),
    ("run", "jwt", "--dry-run", "--quick"): ("sectax/dry-run/1", {"plan", "bill", "assumes"}),
    ("probe", "check", "false"): ("sectax/probe-check/1", {"checks"}),
    ("show", "nonesuch"): ("sectax/error/1", {"error"}),
}


@pytest.mark.parametrize("words", sorted(MEMBERS), ids=" ".join)
def test_one_document_with_its_schema_and_the_members_that_the_page_names(words):
    schema, members = MEMBERS[words]

    document = json.loads(sectax(*words, "--json").out)

    assert document["schema"] == schema
    assert document.keys() == members | {"schema"}
    if schema == "sectax/dry-run/1":  # the only one of these that has a schema
        follows_its_schema(document)
    page = (SCHEMAS.parent / "json.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith(f"| `{schema}`"))
    assert all(f"`{member}`" in row for member in members)


@pytest.mark.more
def test_the_light_commands_import_no_heavy_library():
    """Checked in the program itself, since the libraries are installed."""
    for words in (["--help"], ["list"], ["doctor"], ["hmac", "payload", "--help"]):
        code = (
            "import sys, atexit\n"
            f"sys.argv = ['sectax', *{words!r}]\n"
            "heavy = ('numpy', 'scipy', 'boto3', 'rich', 'cryptography', 'sqlite3')\n"
            "atexit.register(lambda: print('HEAVY', [name for name in heavy if name in sys.modules]))\n"
            "from sectax.cli.main import main\n"
            "main()\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0
        assert done.stdout.rstrip().endswith("HEAVY []"), done.stdout[-200:]
