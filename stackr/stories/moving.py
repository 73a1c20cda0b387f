"""The story of a move within the stack: look, plan, go. Where to go is decided in ``stackr.core.moving``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stackr.stories import locally

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.model import Stack
    from stackr.core.plan import Plan


def move(app: App, command: str, plan: Callable[[str, Stack], Plan], way: locally.Way) -> None:
    """Send HEAD where ``plan`` says, files along with it, and show the stack."""
    with app.lock(command, needed=not way.dry_run):
        stack = locally.read_stack(app)
        locally.carry_out(app, plan(command, stack), stack, way)
