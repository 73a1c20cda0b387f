"""Read-only: facts of git and GitHub, put together into a ``Stack``. Decides nothing; writes nothing but a fetch."""

from stackr.observe.story import observe, observe_offline
from stackr.observe.wanted import Observed, Wanted

__all__ = ["Observed", "Wanted", "observe", "observe_offline"]
