"""The one exception of the sandbox's rules: a refusal, in the words GitHub uses.

REST turns it into a JSON answer, GraphQL into an ``errors[]`` entry. It is no StackrError: it never
reaches the command line, it crosses the wire first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DOCS = "https://docs.github.com/rest"


class ApiError(Exception):
    """GitHub's refusal: HTTP status, message, and for a 422 the list of validation errors.

    ``errors`` holds GitHub's objects (``{"resource", "code", "field"?, "message"?}``) or plain strings.
    ``texts`` are GraphQL's words where they differ, ``graphql_type`` is the ``type`` of its error.
    ``headers`` go on the HTTP answer, ``extensions`` into GraphQL's error.
    Source: https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Any] = (),
        texts: Sequence[str] = (),
        graphql_type: str = "UNPROCESSABLE",
        docs: str = DOCS,
        headers: Mapping[str, str] | None = None,
        extensions: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = list(errors)
        self._texts = list(texts)
        self.graphql_type = graphql_type
        self.docs = docs
        self.headers = dict(headers or {})
        self.extensions = dict(extensions or {})

    def texts(self) -> list[str]:
        """The messages one by one, as GraphQL joins them (", "): the entries' own, else the main one."""
        if self._texts:
            return self._texts
        found = [e if isinstance(e, str) else e.get("message", "") for e in self.errors]
        return [text for text in found if text] or [self.message]


def invalid(resource: str, field: str, message: str, code: str = "custom") -> ApiError:
    """A 422 "Validation Failed" with one error object."""
    return validation_failed([{"resource": resource, "field": field, "code": code, "message": message}])


def validation_failed(errors: Sequence[Any]) -> ApiError:
    """A 422 "Validation Failed" with several error objects."""
    return ApiError(422, "Validation Failed", errors=errors)


def sign_in() -> ApiError:
    """A 401: this needs a token."""
    return ApiError(401, "Requires authentication", graphql_type="UNAUTHORIZED")


def not_found(what: str = "Not Found") -> ApiError:
    """A 404: it is not there, or the viewer may not know that it is."""
    return ApiError(404, what, graphql_type="NOT_FOUND")


def forbidden(message: str, **more: Any) -> ApiError:
    """A 403: the viewer may see it, but not do that."""
    return ApiError(403, message, graphql_type="FORBIDDEN", **more)
