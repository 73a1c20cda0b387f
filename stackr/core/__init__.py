"""The pure heart: facts in, plans out. No git, no requests, no clock, no environment."""
