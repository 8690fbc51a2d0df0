"""What mkdocs calls while it makes the site (`make docs`): pages from outside docs/, pages from the program, and links.

Pages of the repository keep their paths in the site, those of docs/ stand at its root. A link to what is not in the
site, such as a source file, becomes plain text.
"""

from __future__ import annotations

import importlib.util
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS = Path(__file__).parent
ROOT = DOCS.parent

# Of the repository -> of the site.
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "probes/PROTOCOL.md": "probes/PROTOCOL.md",
    "clients/PROTOCOL.md": "clients/PROTOCOL.md",
    "functions/hmac_authorizer/README.md": "functions/hmac_authorizer/README.md",
}
_LINK = re.compile(r"\[(?P<text>[^\]\n]*)\]\((?P<path>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)")
_TEST_MARK = re.compile(r"<!-- test: .* -->\n+")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/, and those that the program makes."""
    added = {site: (ROOT / path).read_text(encoding="utf-8") for path, site in OUTSIDE.items()}
    added["commands.md"] = _generator("generate_commands").document()
    added["schemas.md"] = schemas_page(_generator("generate_schemas").schemas())
    for path, text in added.items():
        if (old := files.get_file_from_path(path)) is not None:
            files.remove(old)
        files.append(File.generated(config, path, content=text))
    return files


def _generator(name: str) -> ModuleType:
    """A program of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links of the repository to the pages of the site."""
    here = page.file.src_uri
    return _LINK.sub(lambda link: _led(link, here, files), _TEST_MARK.sub("", markdown))


def _led(link: re.Match[str], here: str, files: Files) -> str:
    path = link["path"]
    if not path or "://" in path or path.startswith("mailto:"):
        return link[0]
    target = site_path(posixpath.normpath(posixpath.join(posixpath.dirname(repository_path(here)), path)))
    if files.get_file_from_path(target) is None:
        return link["text"]
    way = posixpath.relpath(target, posixpath.dirname(here) or ".")
    return f"[{link['text']}]({way}{link['anchor'] or ''})"


def repository_path(site: str) -> str:
    """Where a page of the site stands in the repository."""
    return {to: path for path, to in OUTSIDE.items()}.get(site, f"docs/{site}")


def site_path(repository: str) -> str:
    """Where a file of the repository would stand in the site."""
    return OUTSIDE.get(repository, repository.removeprefix("docs/"))


def schemas_page(schemas: Mapping[str, Mapping[str, Any]]) -> str:
    """Every JSON document with its members."""
    head = (
        "# JSON schemas\n\nMade from the types of the documents (`docs/generate_schemas.py`). "
        "What a null means is explained in [JSON](json.md)."
    )
    return "\n\n".join([head, *(part for name, schema in schemas.items() for part in _schema(name, schema))]) + "\n"


def _schema(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {schema['title']}"
    yield f"{schema['description']} [The schema](schemas/{name})"
    members = "\n".join(
        f"| `{member}` | {_kind(of)} | {_cell(of.get('description', ''))} |"
        for member, of in schema["properties"].items()
    )
    yield f"| member | holds | |\n| --- | --- | --- |\n{members}"


def _kind(of: Mapping[str, Any]) -> str:
    if "const" in of:
        return f"`{of['const']}`"
    if "$ref" in of:
        return str(of["$ref"]).rpartition("/")[2]
    if "anyOf" in of:
        return " or ".join(map(_kind, of["anyOf"]))
    if of.get("type") == "array":
        return f"array of {_kind(of['items'])}" if isinstance(of.get("items"), dict) else "array"
    return _cell(str(of.get("type", "any")))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
