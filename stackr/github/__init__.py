"""The GitHub client: the only room that uses requests."""
