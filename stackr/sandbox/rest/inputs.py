"""What a request may say: JSON fields with their types, query parameters by name. Refusals in GitHub's words.

https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Request

from stackr.sandbox.errors import ApiError

# name -> (types, required); a trailing "!" in declarations below means required, "?" that null is allowed
Fields = Mapping[str, str]
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "array": (list,),
    "object": (dict,),
    "any": (str, int, list, dict, bool),
}


def read_params(args: Mapping[str, str], known: Sequence[str]) -> dict[str, str]:
    """The query parameters, all of which must be known."""
    unknown = sorted(set(args) - set(known))
    if unknown:
        raise _bad(f'"{unknown[0]}" is not a known parameter of this route in the sandbox.')
    for name in ("page", "per_page"):
        if name in args and not args[name].isdigit():
            raise _bad(f"For 'properties/{name}', \"{args[name]}\" is not an integer.")
    return dict(args)


def read_body(request: Request, fields: Fields) -> dict[str, Any]:
    """The JSON object of a request: only what was sent, checked by name and type.

    ``fields`` gives for each name one of string, boolean, integer, array, object, any; with ``?`` behind it null is
    allowed, with ``!`` it must be there.
    """
    if not request.get_data():
        body: Any = {}
    else:
        body = request.get_json(force=True, silent=True)
        if body is None and request.get_data().strip() != b"null":
            raise ApiError(400, "Problems parsing JSON")
    if body is None:
        body = {}
    if not isinstance(body, dict):
        raise ApiError(400, "Body should be a JSON object")
    unknown = sorted(set(body) - set(fields))
    if unknown:
        raise _bad(f'"{unknown[0]}" is not a permitted key.')
    for name, kind in fields.items():
        _check(name, kind, body)
    return body


def _check(name: str, kind: str, body: Mapping[str, Any]) -> None:
    if name not in body:
        if kind.endswith("!"):
            raise _bad(f'"{name}" wasn\'t supplied.')
        return
    value, base = body[name], kind.rstrip("!?")
    if value is None and kind.endswith("?"):
        return
    fits = isinstance(value, _TYPES[base]) and not (base == "integer" and isinstance(value, bool))
    if not fits:
        shown = "nil" if value is None else repr(value) if not isinstance(value, str) else f'"{value}"'
        raise _bad(f"For 'properties/{name}', {shown} is not {'an' if base[0] in 'aio' else 'a'} {base}.")


def one_of(name: str, value: str, *known: str) -> str:
    """A value that must be one of several."""
    if value not in known:
        raise _bad(f"For 'properties/{name}', {value} is not a member of {list(known)}.")
    return value


def strings(name: str, values: Sequence[Any]) -> list[str]:
    """A list of strings."""
    if not all(isinstance(value, str) for value in values):
        raise _bad(f"For 'properties/{name}', not all of it are strings.")
    return [str(value) for value in values]


def _bad(text: str) -> ApiError:
    return ApiError(422, f"Invalid request.\n\n{text}")
