"""What GitHub says to titles, descriptions and branches that it does not take."""

from __future__ import annotations

from stackr.sandbox.errors import ApiError, validation_failed

TITLE_LIMIT = 256
BODY_LIMIT = 65_536


def refuse_texts(title: str | None, body: str | None) -> None:
    """Refuse a blank title and texts that are too long.

    https://docs.github.com/rest/pulls/pulls#create-a-pull-request; the limits are from refusals.
    """
    if title is not None and not title.strip():
        error = {"resource": "PullRequest", "code": "missing_field", "field": "title"}
        raise ApiError(422, "Validation Failed", errors=[error], texts=["Title can't be blank"])
    too_long = [
        (name, limit)
        for name, text, limit in (("title", title, TITLE_LIMIT), ("body", body, BODY_LIMIT))
        if text is not None and len(text) > limit
    ]
    if too_long:
        raise ApiError(
            422,
            "Validation Failed",
            errors=[
                {
                    "resource": "PullRequest",
                    "code": "custom",
                    "field": name,
                    "message": f"{name} is too long (maximum is {limit} characters)",
                }
                for name, limit in too_long
            ],
            texts=[f"{name.capitalize()} is too long (maximum is {limit} characters)" for name, limit in too_long],
        )


def missing_branches(head_ref: str, base: str, head_oid: str | None, base_oid: str | None) -> ApiError:
    """Several messages at once, as GitHub gives them for branches that were never pushed."""
    sides = [("head", head_oid), ("base", base_oid)]
    missing = [name for name, oid in sides if oid is None]
    texts = [f"{name.capitalize()} sha can't be blank" for name in missing]
    texts.append(f"No commits between {base} and {head_ref}")
    texts += [f"{name.capitalize()} ref must be a branch" for name in missing]
    errors = [{"resource": "PullRequest", "field": name, "code": "invalid"} for name in missing]
    return ApiError(422, "Validation Failed", errors=errors, texts=texts)


def custom(message: str) -> ApiError:
    """A 422 with one message of GitHub's own."""
    return validation_failed([{"resource": "PullRequest", "code": "custom", "message": message}])
