"""A document as one self-contained HTML page.

Its content security policy allows nothing but its own style sheet, in case an escape of a hostile label is missing.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sectax.reports import document as parts
from sectax.reports.html import chart, forest, interval_column
from sectax.text import units

if TYPE_CHECKING:
    from jinja2 import Environment

# Columns that fit on a phone if the last has words.
_MOST_BESIDE = 2
_HERE = Path(__file__).parent
_GENERATOR = '<meta name="generator" content="sectax">'
_FOLDED = {parts.SectionKind.ASIDE, parts.SectionKind.PICTURES, parts.SectionKind.DIAGNOSTICS, parts.SectionKind.DETAIL}

# The style sheet shows the one that fits.
_FORESTS = {"wide": forest.WIDE, "narrow": forest.NARROW}


def render(document: parts.Document) -> str:
    """The whole document as text."""
    style = _style("page.css") + _style("forest.css")
    template = _environment().get_template("page.html")
    page: str = template.render(
        document=document,
        sections=sorted(document.others, key=lambda section: [*parts.SectionKind].index(section.kind)),
        folded=_FOLDED,
        generator=_GENERATOR,
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )
    return page + "\n"


def render_picture(picture: parts.Forest) -> str:
    """A forest plot as a separate SVG file with a light and a dark scheme."""
    template = _environment().get_template("forest.svg")
    style = _without_properties(_style("forest.css"))
    svg: str = template.render(it=forest.draw(picture, forest.WIDE), style=style, standalone=True)
    return svg.strip() + "\n"


def _style(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@functools.cache
def _environment() -> Environment:
    # jinja2 is slow to import.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "block_name": lambda block: type(block).__name__,
        "interval_column": interval_column.interval_column,
        "legend": interval_column.legend,
        "mark_size": interval_column.mark_size,
        "ends": interval_column.ends,
        "drawn": chart.draw,
        "forests": lambda picture: [(name, forest.draw(picture, sizes)) for name, sizes in _FORESTS.items()],
        "data_url": lambda file: f"data:{file.media_type};base64,{base64.b64encode(file.content).decode()}",
        "is_wordy": _needs_wide_page,
        "tied": lambda text: units.tied(text, "\u00a0"),
        # Only the first step of a shape is absolute.
        "at": lambda shape, x, y: shape.replace("M0 0", f"M{x:.1f} {y:.1f}", 1),
        "place": lambda number: f"{number:.1f}".removesuffix(".0"),
    }
    environment.globals |= {"column_width": interval_column.WIDTH, "column_height": interval_column.HEIGHT}
    environment.globals |= {
        "chart_width": chart.WIDTH,
        "tone_shapes": interval_column.SHAPES,
        "tone_words": forest.TONES,
    }
    return environment


def _needs_wide_page(table: parts.Table) -> bool:
    """Return whether a table is too wide for a phone."""
    return len(table.shown) > _MOST_BESIDE and not table.columns[table.shown[-1]].right


def _without_properties(style: str) -> str:
    """The style without custom properties, which few converters support."""
    light, dark = (dict(re.findall(r"(--\w+): (#\w+)", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S))
    rules = style[style.index(".forest") :]

    def coloured(by: Mapping[str, str]) -> str:
        return re.sub(r"var\((--\w+)\)", lambda match: by[match[1]], rules)

    return f"{coloured(light)}@media (prefers-color-scheme: dark) {{\n{coloured(dark)}}}\n"
