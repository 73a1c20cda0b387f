"""A GitHub in miniature: real bare repositories over smart HTTP, REST, GraphQL and pages."""
