"""The sandbox's pages for people. ``pages.create_blueprint`` puts them together; rules are the engine's."""
