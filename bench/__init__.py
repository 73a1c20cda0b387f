"""``make bench``: stackr beside ghstack and revup, all against the embedded sandbox (docs/internals/benchmarks.md).

Here: everything that measures. Nothing of this is imported by stackr, and no figure is asserted by a test: machines
differ, so a run compares tools with each other, interleaved, within the same minutes.
"""
