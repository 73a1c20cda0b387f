"""A CHANGE that names nothing is one and the same mistake for every command that takes one."""

from __future__ import annotations

import click

from stackr.main import COMMANDS, cli
from tests.support.world import World

# What else a command needs to get as far as looking for the change.
MORE = {"insert": ["-m", "New"], "reword": ["-m", "New"], "split": ["A.txt", "-m", "New"], "land": ["--yes"]}
LOCAL = {"amend", "drop", "fold", "goto", "insert", "reorder", "reword", "split"}


def taking_a_change() -> list[str]:
    """The commands with an argument for a change or a pull request, as their help has it."""
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in COMMANDS}
    return [
        name
        for name, command in commands.items()
        if command and any("CHANGE" in (each.metavar or "") or each.metavar == "[PR]" for each in command.params)
    ]


def test_a_change_that_does_not_exist_is_a_mistake_of_usage_for_every_command(world: World) -> None:
    clone = world.stacked("A")
    found = taking_a_change()
    assert set(found) == {*LOCAL, "abandon", "adopt", "checkout", "diff", "land", "open"}
    told = {
        (name, word): clone.stackr(name, word, *MORE.get(name, []), "--json", code=2).json["error"]
        for name in found
        for word in ("99", "nonsense")
        # Any number makes an address to open; what works here alone has one way to find a change.
        if (name, word) != ("open", "99") and not (name in LOCAL and word == "nonsense")
    }
    assert {error["kind"] for error in told.values()} == {"usage"}
    assert all(word in error["message"] and error["next"] for (_, word), error in told.items())
