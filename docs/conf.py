"""Sphinx configuration: the documentation as pages, and one man page a command from the same source."""

from __future__ import annotations

from stackr import __version__
from stackr.main import COMMANDS

project = "stackr"
author = "the stackr authors"
copyright = author  # noqa: A001 - Sphinx's name
release = version = __version__

extensions = ["myst_parser", "sphinx_click"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"stackr {version}"
html_static_path: list[str] = []

man_pages = [
    ("reference/cli", "stackr", "stacked pull requests on GitHub", author, 1),
    ("reference/configuration", "stackr-configuration", "settings of stackr", author, 5),
    *(
        (f"reference/commands/{name}", f"stackr-{name}", entry.help.rstrip(".").lower(), author, 1)
        for name, entry in COMMANDS.items()
    ),
]
man_make_section_directory = True
