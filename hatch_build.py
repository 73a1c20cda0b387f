"""Man pages go into the wheel when ``make docs`` has built them; without them the wheel is whole all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManPages(BuildHookInterface[Any]):
    """``docs/_build/man`` becomes ``share/man``, where pipx and man(1) look."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the folders that are there; nothing for an editable install, which is the source itself."""
        built = Path(self.root) / "docs" / "_build" / "man"
        if version == "standard":
            sections = sorted(built.glob("man[0-9]"))
            build_data["shared_data"].update({str(each): f"share/man/{each.name}" for each in sections})
