"""The git layer: the ``Repo`` port of ``stackr.core.ports``, on GitPython and git itself.

Nothing is imported here, so that a command that needs no git starts fast; ``stackr.repo.repository`` is the way in.
"""
