"""A document as one HTML page: everything that it shows is in the file, and nothing of it runs.

Its policy (CSP) forbids everything but its own style sheet, so that a page with a hostile label could not load or run
anything even if an escape were missing.
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

# Columns that a phone has room for, where the last of them holds words.
_MOST_BESIDE = 2
_HERE = Path(__file__).parent
_GENERATOR = '<meta name="generator" content="sectax">'

# What stands behind the answer, for whoever asks.
_FOLDED = {parts.SectionKind.ASIDE, parts.SectionKind.PICTURES, parts.SectionKind.DIAGNOSTICS, parts.SectionKind.DETAIL}

# A page shows the one that its width has room for.
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
    """A forest plot as an SVG file of its own, which follows the light or dark scheme of whoever looks at it."""
    template = _environment().get_template("forest.svg")
    style = _without_properties(_style("forest.css"))
    svg: str = template.render(it=forest.draw(picture, forest.WIDE), style=style, standalone=True)
    return svg.strip() + "\n"


def _style(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@functools.cache
def _environment() -> Environment:
    # jinja2 takes a while to import: only when a page is really written.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "block_name": lambda block: type(block).__name__,
        "interval_column": interval_column.interval_column,
        "legend": interval_column.legend,
        "mark_size": interval_column.mark_size,
        "drawn": chart.draw,
        "forests": lambda picture: [(name, forest.draw(picture, sizes)) for name, sizes in _FORESTS.items()],
        "data_url": lambda file: f"data:{file.media_type};base64,{base64.b64encode(file.content).decode()}",
        "is_wordy": _needs_wide_page,
        "tied": lambda text: units.tied(text, "\u00a0"),
        # A shape around 0, 0 moved: its first step is absolute, and the others are made relative to it.
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
    """Whether a narrow page has no room for its columns beside each other: several, and words in the last."""
    return len(table.shown) > _MOST_BESIDE and not table.columns[table.shown[-1]].right


def _without_properties(style: str) -> str:
    """Without custom properties, which few converters know: the rules in light colours, then in dark ones."""
    light, dark = (dict(re.findall(r"(--\w+): (#\w+)", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S))
    rules = style[style.index(".forest") :]

    def coloured(by: Mapping[str, str]) -> str:
        return re.sub(r"var\((--\w+)\)", lambda match: by[match[1]], rules)

    return f"{coloured(light)}@media (prefers-color-scheme: dark) {{\n{coloured(dark)}}}\n"
