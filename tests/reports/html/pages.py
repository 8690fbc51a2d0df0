"""Helpers to parse a page: elements by class, and positions of marks."""

from __future__ import annotations

import math
import re
from xml.etree.ElementTree import Element

import html5lib

from sectax.cli.present import render
from sectax.model.analysed import Analysed, RunReport
from tests.reports import situations


def page_of(analysed: Analysed) -> str:
    return render(RunReport(analysed, situations.PATH), "html")


def parsed(text: str) -> Element:
    """The page as a browser reads it. Raises where it breaks a rule of HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)


def words(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def of_class(root: Element, tag: str, class_: str) -> list[Element]:
    return [item for item in root.iter() if name(item) == tag and class_ in item.get("class", "").split()]


def one(root: Element, tag: str, class_: str) -> Element:
    (found,) = of_class(root, tag, class_)
    return found


def number(element: Element, attribute: str) -> float:
    return float(element.get(attribute, "nan"))


def costs(svg: Element, margin: float) -> tuple[float, float, float]:
    """Low, point and high of a drawn interval as ratios, read by the line of no cost and the band of the margin."""
    zero, band = number(one(svg, "line", "zero"), "x1"), one(svg, "rect", "band")
    unit = number(band, "width") / (2 * math.log1p(margin))
    reach = one(svg, "line", "reach")
    moved = re.match(r"translate\(([-\d.]+) ", one(svg, "path", "mark").get("transform", ""))
    places = (number(reach, "x1"), float(moved[1]), number(reach, "x2"))
    low, point, high = (math.exp((place - zero) / unit) for place in places)
    return low, point, high


def marks(series: Element) -> list[tuple[float, float]]:
    """The places of the points of a series."""
    path = one(series, "path", "mark").get("d", "")
    return [(float(x), float(y)) for x, y in re.findall(r"M([-\d.]+) ([-\d.]+)m", path)]
