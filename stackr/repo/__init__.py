"""The git layer: the only room that starts a git process."""
