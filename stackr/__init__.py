"""stackr: stacked pull requests on GitHub, one per commit, without a force-push."""

__version__ = "0.1.0"
