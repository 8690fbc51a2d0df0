"""Untrusted text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sectax.reports import escape

ANY = st.text(st.characters(codec=None), max_size=60)


@given(ANY)
def test_markdown_leaves_no_bar_or_tag_unescaped(text: str) -> None:
    escaped = escape.markdown(text).replace("\\\\", "")

    for mark in "|<`*[]":
        assert mark not in escaped.replace("\\" + mark, "")


def test_line_that_would_begin_a_list_or_a_heading_does_not() -> None:
    assert escape.markdown_block("1. first") == "1\\. first"
    assert escape.markdown_block("- first") == "\\- first"
    assert escape.markdown_block("# first") == "\\# first"
    assert escape.markdown_block("47.3 times") == "47.3 times"


@given(ANY)
def test_csv_cell_is_not_a_formula(text: str) -> None:
    assert not escape.cell(text).startswith(("=", "+", "-", "@", "\t", "\r"))
