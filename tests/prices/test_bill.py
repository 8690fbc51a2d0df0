"""A bill is amounts times prices, and says from which day the prices are."""

from __future__ import annotations

from pathlib import Path

import pytest

from sectax import prices as price_list
from sectax.model.bill import Usage
from sectax.model.errors import WrongUse
from sectax.reports.words import plans

OWN = """
day = "2027-01-01"
place = "here"
currency = "EUR"
source = "our contract"
[items."lambda.requests"]
words = "requests to Lambda"
unit = "requests"
price = 1.0
per = 100
"""


def test_a_million_requests_and_their_seconds_cost_what_the_list_says():
    made = price_list.load().bill([Usage("lambda.requests", 1e6), Usage("lambda.x86_64", 60_000)])

    assert [charge.cost for charge in made.charges] == pytest.approx([0.20, 1.000002])
    assert made.total == pytest.approx(1.200002)


def test_usages_of_one_item_are_one_line():
    made = price_list.load().bill([Usage("lambda.requests", 1), Usage("lambda.requests", 2)])

    assert [charge.amount for charge in made.charges] == [3]


def test_the_user_s_own_list_takes_the_place_of_ours(tmp_path: Path, agreed):
    (tmp_path / "own.toml").write_text(OWN)

    said = plans.bill(price_list.load(tmp_path / "own.toml").bill([Usage("lambda.requests", 500)]))

    agreed(*said)


@pytest.mark.parametrize(
    "text",
    ["day = 1", "not toml", OWN.replace("1.0", "-1.0"), OWN.replace("per = 100", "per = 0"), OWN + "\nmore = 1\n"],
    ids=["no list", "no toml", "negative", "per nothing", "unknown"],
)
def test_a_list_that_cannot_be_used_is_refused(tmp_path: Path, text: str):
    (tmp_path / "own.toml").write_text(text)

    with pytest.raises(WrongUse, match=r"own\.toml"):
        price_list.load(tmp_path / "own.toml")


def test_what_has_no_price_is_named():
    with pytest.raises(WrongUse, match=r"lambda\.moon"):
        price_list.load().bill([Usage("lambda.moon", 1)])
