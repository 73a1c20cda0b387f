"""The sandbox's GraphQL: GitHub's schema in miniature, resolved from the engine's rows.

``schema/*.graphql`` is the contract (a subset of GitHub's, held against it by tests/contract), ``sdl`` reads
it, ``resolvers/`` answers its fields, ``execute`` runs a request as GitHub would, ``http`` puts it on the wire.
GitHub's rules (what a merge does, when a pull request closes) live in the engine, never here.
"""
