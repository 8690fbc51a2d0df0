"""The documentation as a site: it has all pages, its links lead somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.needs import needs

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.more, needs("mkdocs")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    given = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=given, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_of_the_documentation_is_in_the_site(site: Path) -> None:
    for page in ROOT.glob("docs/**/*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).exists(), page
    for page in ("index", "CONTRIBUTING", "CHANGELOG", "probes/PROTOCOL", "schemas"):
        assert (site / f"{page}.html").exists(), page


def test_links_lead_to_files_of_the_site(site: Path) -> None:
    checked = 0
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if 'content="sectax"' in text or page.name == "404.html":  # a page of a run has no link to others
            continue
        for target in re.findall(r'<a [^>]*href="([^"#?]+)', text):
            if "://" not in target and not target.startswith(("mailto:", "data:")):
                checked += 1
                assert (page.parent / unquote(target)).exists(), f"{page.name}: {target}"
    assert checked > 100


def test_commands_and_schemas_come_from_the_program(site: Path) -> None:
    assert "sectax run jwt" in (site / "commands.html").read_text(encoding="utf-8")
    schemas = (site / "schemas.html").read_text(encoding="utf-8")
    for schema in ROOT.glob("docs/schemas/*.json"):
        assert f"schemas/{schema.name}" in schemas
        assert (site / "schemas" / schema.name).read_bytes() == schema.read_bytes()


def test_it_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]*\ssrc="([^"]+)', page.read_text(encoding="utf-8"))
        loaded += re.findall(r'<link[^>]*rel="stylesheet"[^>]*href="([^"]+)', page.read_text(encoding="utf-8"))
        assert [address for address in loaded if "://" in address] == [], page.name
