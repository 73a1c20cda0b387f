"""``stackr completion``: the script that teaches a shell what to offer on Tab."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from stackr.app import App

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print what lets a shell complete commands, options and changes.

    In the start-up file of the shell: eval "$(stackr completion bash)" for bash and zsh, stackr completion fish |
    source for fish. Pull requests, ids and branches are completed from what this clone has seen, without the network.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click has these three
    script = kind(context.find_root().command, {}, "stackr", "_STACKR_COMPLETE").source()
    App(context).ui.raw(script.strip().encode() + b"\n")
