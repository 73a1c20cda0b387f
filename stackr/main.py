"""The command ``stackr``: the table of its commands, and the one place that prints an error and exits.

``stackr --help`` must start at once, so a command's module is imported only when that command runs or shows its own
help; until then the static table speaks for it (tests/cli/test_startup.py holds the table to the real docstrings).
Not here: what an exception means to the user (``stackr.failures``), and what commands need to work (``stackr.app``).
"""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from stackr import __version__, failures, options
from stackr.options import Invocation
from stackr.records import dataclass
from stackr.ui import output

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: the module in ``stackr.commands`` whose attribute ``command`` it is, and its line in the help."""

    module: str
    section: str
    help: str


_DAILY, _LOOK, _TRY, _SET_UP = "The daily loop", "Looking", "Trying it out", "Setting up"
_MOVE, _EDIT = "Moving within the stack", "Reshaping the stack"

COMMANDS: dict[str, Entry] = {
    "submit": Entry("submit", _DAILY, "Create or update one pull request for every commit of the stack."),
    "sync": Entry("sync", _DAILY, "Rebase the stack onto trunk, drop what landed, and refresh the pull requests."),
    "land": Entry("land", _DAILY, "Land the stack on its trunk, from the bottom up to CHANGE."),
    "continue": Entry("continue_", _DAILY, "Go on after a conflict: git rebase --continue, then the rest of the sync."),
    "abort": Entry(
        "abort", _DAILY, "Give up after a conflict: git rebase --abort, and everything is as it was before the sync."
    ),
    "abandon": Entry("abandon", _DAILY, "Close the pull request of a change, and remove its branch."),
    "undo": Entry("undo", _DAILY, "Take back what stackr did to your branches."),
    "up": Entry("up", _MOVE, "Go up the stack, by one change or by N."),
    "down": Entry("down", _MOVE, "Go down the stack, by one change or by N."),
    "top": Entry("top", _MOVE, "Go to the top of the stack, and back onto its branch."),
    "bottom": Entry("bottom", _MOVE, "Go to the lowest change of the stack."),
    "goto": Entry("goto", _MOVE, "Go to a change of the stack."),
    "checkout": Entry("checkout", _DAILY, "Check out the stack up to a pull request, yours or a colleague's."),
    "adopt": Entry("adopt", _DAILY, "Take over the stack at HEAD from ghstack or mergify."),
    "amend": Entry("amend", _EDIT, "Put what is staged into a change, the one at HEAD if none is named."),
    "absorb": Entry("absorb", _EDIT, "Put every staged hunk into the change that last touched its lines."),
    "insert": Entry("insert", _EDIT, "Commit what is staged as a new change, right above CHANGE."),
    "reword": Entry("reword", _EDIT, "Give a change another message."),
    "fold": Entry("fold", _EDIT, "Fold a change into the one below."),
    "split": Entry("split", _EDIT, "Make two changes of one: some of its files first, or some of its hunks."),
    "reorder": Entry("reorder", _EDIT, "Put the changes into another order, in an editor or as named."),
    "drop": Entry("drop", _EDIT, "Take a change out of the stack."),
    "status": Entry("status", _LOOK, "Show the stack: pull requests, reviews, checks, and what to do next."),
    "report": Entry("report", _LOOK, "Write a report for reviewers, and keep it in one comment on the pull request."),
    "open": Entry("open_", _LOOK, "Show the pull request of a change in the browser."),
    "diff": Entry("diff", _LOOK, "Show what changed between two submitted versions of a change."),
    "log": Entry("log", _LOOK, "List what stackr did to your branches, newest on top."),
    "id": Entry("id", _LOOK, "Show a commit's Change-Id, or give it a new one."),
    "demo": Entry("demo", _TRY, "Watch a real stack being submitted, amended, reordered and landed in the sandbox."),
    "sandbox": Entry("sandbox", _TRY, "A GitHub in miniature on this machine."),
    "doctor": Entry("doctor", _SET_UP, "Check everything that stackr needs, and say what to do about it."),
    "config": Entry("config", _SET_UP, "Show every setting and where its value comes from."),
    "auth": Entry("auth", _SET_UP, "See which token stackr uses."),
    "hook": Entry("hook", _SET_UP, "Let git name changes at commit time."),
    "completion": Entry("completion", _SET_UP, "Print what lets a shell complete commands, options and changes."),
}


class LazyGroup(click.Group):
    """A group that knows its commands from ``COMMANDS`` and imports one only to use it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; ``None`` if there is none of that name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = importlib.import_module(f"stackr.commands.{entry.module}").command
        command.name = cmd_name
        _accept_color(command)
        if ctx.resilient_parsing:  # Tab was pressed; nobody else waits for what answers that
            from stackr import completing

            completing.complete(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and remember its name for errors."""
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            raise failures.unknown_command(args[0], COMMANDS)
        options.of(ctx).command = args[0]
        options.of(ctx).line = shlex.join(["stackr", *args])
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands from the table, with their line of the help, and the options before a command."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=COMMANDS[name].help) for name in COMMANDS if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, by section; no command is imported for it."""
        for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
            with formatter.section(section):
                formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items() if entry.section == section])


def _accept_color(command: click.Command) -> None:
    """Understand ``--color`` after the command too; once, since click keeps commands for good."""
    if isinstance(command, click.Group):
        for member in command.commands.values():
            _accept_color(member)
    elif all("--color" not in parameter.opts for parameter in command.params):
        command.params.append(options.color_option(hidden=True))


def _enter(context: click.Context, _: click.Parameter, directories: Sequence[str]) -> None:
    """``-C``, as git(1) has it: each is relative to the one before, an empty one changes nothing."""
    try:
        place = Path.cwd()
    except FileNotFoundError as problem:
        raise failures.refuse_without_directory() from problem
    for directory in directories:
        place = place / directory
        if not os.path.isdir(place):  # noqa: PTH112 - False for a name that is too long as well
            raise click.UsageError(f'there is no directory "{directory}" to change to (-C)')
    options.of(context).directory = place


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[options.color_option()],
    epilog="Every command has --help. Exit codes and the JSON documents: docs/reference/cli.md.",
)
@click.option(
    "-C",
    "directories",
    metavar="DIR",
    multiple=True,
    expose_value=False,
    is_eager=True,
    callback=_enter,
    help="Run as if started in DIR.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Stacked pull requests on GitHub: one commit, one pull request, no force-push."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with a code of docs/reference/cli.md."""
    output.never_crash_on_characters()
    argv = list(sys.argv[1:] if arguments is None else arguments)
    invocation = Invocation()
    try:
        code = _call(argv, invocation)
        output.flush()
    except BaseException as problem:  # noqa: BLE001 - this is the one place where everything ends
        code = _fail(problem, argv, invocation)
    sys.exit(code)


def _call(argv: list[str], invocation: Invocation) -> int:
    """The exit code of a run that raised nothing: what the command returned, if that is a number.

    ``click.Command.main`` would do this too, but it ends the process by itself on a closed pipe.
    """
    asked = os.environ.get("_STACKR_COMPLETE")
    if asked:
        from click.shell_completion import shell_complete

        from stackr import completing

        completing.complete(cli)
        return shell_complete(cli, {"obj": invocation}, "stackr", "_STACKR_COMPLETE", asked)
    try:
        with cli.make_context("stackr", argv, obj=invocation) as context:
            result: Any = cli.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    return result if isinstance(result, int) and not isinstance(result, bool) else 0


def _fail(problem: BaseException, argv: list[str], invocation: Invocation) -> int:
    """Say once what went wrong; returns the exit code."""
    if output.is_closed_pipe(problem):
        # The reader went away (`stackr status | head -1`): say nothing, and end as SIGPIPE would have ended us.
        output.abandon()
        return 128 + 13
    failure = failures.explain(problem, argv, invocation)
    if failure.code == failures.INTERRUPTED and output.is_terminal(sys.stderr):
        output.write(sys.stderr, "")  # the terminal has just echoed ^C
    if not (failure.as_json and _tell_in_json(failure)):
        output.write_error(failure.message, failure.safe, failure.next_step, color=invocation.color, env=os.environ)
    output.abandon()
    return failure.code


def _tell_in_json(failure: failures.Failure) -> bool:
    """Whether stdout took the document; where it cannot (a full disk), stderr has to tell."""
    try:
        output.write_json(failures.document(failure))
        output.flush()
    except OSError as problem:
        return output.is_closed_pipe(problem)
    return True
