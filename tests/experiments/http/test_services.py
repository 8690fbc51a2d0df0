"""What a user types of services: what is understood, what is refused, and what of it may be shown."""

from __future__ import annotations

import pytest

from sectax.experiments.http.addresses import shown_header, shown_url, url_secrets
from sectax.experiments.http.services import hidden, read_services, revealed
from sectax.model.errors import WrongUse
from tests.experiments.plans import planner

Options = dict[str, tuple[str, ...]]
TWO: Options = {"baseline": ("http://127.0.0.1:1/",), "treatment": ("new=https://127.0.0.1:2/",)}


plan = planner("http", TWO)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("http://host/path", "http://host/path"),
        ("https://user:word@host:8443/a", "https://host:8443/a"),
        ("https://user:w@rd@host/", "https://host/"),
        ("http://host/?token=abc&page=2", "http://host/?token=…&page=…"),
        ("http://host?abcdef", "http://host?…"),
        ("http://host/?a=&b", "http://host/?a=&…"),
        ("user:word@host", "…"),
        ("host/?token=abc", "…"),
    ],
)
def test_no_password_and_no_value_of_a_query_is_shown(typed: str, shown: str) -> None:
    assert shown_url(typed) == shown


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Accept: text/html", "Accept: text/html"),
        ("Authorization: Bearer abc", "Authorization: …"),
        ("x-api-key:abc", "x-api-key: …"),
        ("@headers.txt", "@headers.txt"),
        ("abc", "…"),
    ],
)
def test_only_harmless_headers_are_shown(typed: str, shown: str) -> None:
    assert shown_header(typed) == shown


def test_what_was_hidden_comes_back_and_nothing_of_it_is_in_the_options() -> None:
    typed: Options = {
        "baseline": ("http://u:pass-word@h/?token=tick-et",),
        "treatment": ("new=http://h/?token=oth-er", "plain=http://h/"),
        "header": ("Accept: */*", "new=Authorization: Bearer se-cret"),
    }

    kept = hidden(typed)

    assert revealed(kept.options, kept.secrets) == kept.options | typed
    assert not any(secret in str(kept.options) for secret in ("pass-word", "tick-et", "oth-er", "se-cret"))
    assert kept.replaced["Authorization: Bearer se-cret"] == "Authorization: …"
    with pytest.raises(WrongUse):
        revealed(kept.options, {})


def test_secrets_of_a_service_are_its_password_its_query_and_its_headers() -> None:
    found = url_secrets("http://u:word@h/?token=abc&def", (("Authorization", "Bearer xyz"), ("Accept", "text/html")))

    assert set(found) == {"u", "word", "abc", "def", "Bearer xyz", "Bearer", "xyz"}


def test_what_is_reported_for_one_service_is_reported_of_no_other() -> None:
    made = read_services(
        TWO
        | {
            "header": ("A: 1", "new=B: 2"),
            "method": ("new=POST",),
            "status": ("new=403", "new=429"),
            "cert": ("new=c.pem",),
            "key": ("new=k.pem",),
            "folder": ("/home/somebody",),
        }
    )

    old, new = made["baseline"], made["new"]
    assert (old.method, old.headers, old.statuses, old.certificate) == ("GET", (("A", "1"),), (), "")
    assert (new.method, new.headers, new.statuses) == ("POST", (("A", "1"), ("B", "2")), (403, 429))
    assert (new.certificate, new.key) == ("/home/somebody/c.pem", "/home/somebody/k.pem")


def test_a_plain_run_has_one_cell_with_both_of_its_controls() -> None:
    made = plan()

    assert [cell.id for cell in made.cells] == ["kept/http1/1/closed"]
    assert len(made.treatments) == 4
    # A service that the controls ask too answers sooner, unless each is warmed up by what is thrown away.
    assert made.settles
    assert made.target_batch_s(made.cells[0]) >= 0.005
    assert made.one_processor


def test_requests_that_overlap_have_turns_and_no_positive_control() -> None:
    made = plan(concurrency="16", connection="kept,new")

    assert len(made.cells) == 2
    assert not made.times_one_by_one
    assert not any(treatment.id.endswith("#positive") for treatment in made.treatments)
