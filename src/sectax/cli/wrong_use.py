"""What click says of wrong use, in our words: what is wrong, and what to write instead."""

from __future__ import annotations

import click

from sectax.cli.options import PRESETS, RUN


def in_our_words(error: click.ClickException) -> tuple[str, str]:
    """Message and hint."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return error.format_message(), ""
    path, explained = context.command_path, f"{context.command_path} --help"
    if isinstance(error, click.NoSuchOption):
        return f"{path} has no option {error.option_name}", _nearest_option(error.option_name, context, explained)
    if isinstance(error, click.MissingParameter) and error.param is not None and error.param.metavar == RUN:
        return "no run file was named", f"sectax runs lists them, and last is the newest: {path} last"
    return error.format_message(), explained


def _nearest_option(name: str, context: click.Context, explained: str) -> str:
    from sectax.model.near import did_you_mean

    if name.removeprefix("--") in PRESETS:
        return f"it has no such preset; --budget 30s makes it shorter. {explained} lists its options"
    known = [each for option in context.command.get_params(context) for each in option.opts if each.startswith("--")]
    return did_you_mean(name, known, f"{explained} lists its options")
