"""An experiment's own commands: `sectax NAME …` finds them, whether or not the table of commands has a row for them."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from sectax.cli import main
from sectax.experiments import registry


class _WithCommands:
    """Stands for the experiment of another package."""

    def commands(self) -> click.Group:
        return click.Group("other", commands=[click.Command("greet", callback=lambda: click.echo("hello"))])


def test_commands_without_a_row_are_found_by_the_name_of_the_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    names = registry.names()
    monkeypatch.setattr(registry, "names", lambda: (*names, "other"))
    monkeypatch.setattr(registry, "load", lambda name: _WithCommands())

    done = CliRunner().invoke(main.cli, ["other", "greet"])

    assert (done.exit_code, done.output) == (0, "hello\n")
