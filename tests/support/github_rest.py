"""GitHub's own REST description, for tests: is an answer one that GitHub would give?

What lives here: loading the description that ``fetch_schemas`` put into ``.cache/github``, turning its OpenAPI 3.0
schemas into JSON Schema, and holding one answer against it. Objects are closed: a field that GitHub's description does
not name is a fault, because nothing that reads it would work on GitHub. Source:
https://docs.github.com/en/rest/about-the-rest-api/about-the-openapi-description-for-the-rest-api
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.support import fetch_schemas

_PARAMETER = re.compile(r"<[^>]*>|\{[^}]*\}")
# Refusals that any operation may give: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
_ANYWHERE = {401, 403, 404, 422, 429}
_COMBINED = {"allOf", "anyOf", "oneOf"}
_FORMATS = FormatChecker(formats=())
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z")
_URI = re.compile(r"[a-z][a-z0-9+.-]*:\S*\Z")


@_FORMATS.checks("date-time")
def _is_date_time(value: object) -> bool:
    return not isinstance(value, str) or bool(_DATE_TIME.match(value))


@_FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(_URI.match(value))


@functools.lru_cache(maxsize=1)
def description() -> dict[str, Any]:
    """GitHub's OpenAPI description, its schemas as JSON Schema. Read once a process, about half a second."""
    text = fetch_schemas.require(fetch_schemas.REST).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    _join(found, found)
    _convert(found)
    return found


def _join(node: Any, whole: dict[str, Any]) -> None:
    """Objects put together by ``allOf`` as one object each, where that can be: only then they can be closed."""
    for each in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        _join(each, whole)
    if not isinstance(node, dict) or not isinstance(node.get("allOf"), list):
        return
    parts = [_resolved(part, whole) for part in node["allOf"]]
    if all(
        part.get("type", "object") == "object" and "properties" in part and not _COMBINED & part.keys()
        for part in parts
    ):
        del node["allOf"]
        node["type"] = "object"
        node["properties"] = {name: each for part in parts for name, each in part["properties"].items()}
        node["required"] = [name for part in parts for name in part.get("required", [])]


def _resolved(part: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = _at(part["$ref"].removeprefix("#"), whole) if "$ref" in part else part
    return found


def _convert(node: Any) -> None:
    """OpenAPI's ``nullable`` in JSON Schema's words, and objects without further fields; in place."""
    for key, each in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key not in {"example", "examples", "default", "enum"}:
            _convert(each)
    if not isinstance(node, dict):
        return
    if "properties" in node and "additionalProperties" not in node and not _COMBINED & node.keys():
        node["additionalProperties"] = False
    if node.pop("nullable", False) is True:
        _allow_null(node)


def _allow_null(node: dict[str, Any]) -> None:
    if isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"]
        if "enum" in node:
            node["enum"] = [*node["enum"], None]
        return
    inner = dict(node)
    node.clear()
    node["anyOf"] = [{"type": "null"}, inner]


@functools.lru_cache(maxsize=1)
def _registry() -> Registry[Any]:
    resource = Resource.from_contents(description(), default_specification=DRAFT202012)
    return Registry().with_resource("github:", resource)


def normal(path: str) -> str:
    """A path with every parameter as ``{}``, so that Flask's and OpenAPI's can be compared."""
    return _PARAMETER.sub("{}", path)


@functools.lru_cache(maxsize=1)
def _paths() -> dict[str, str]:
    return {normal(path): path for path in description()["paths"]}


def known(method: str, path: str) -> bool:
    """Whether GitHub has this operation; ``path`` with parameters in Flask's or OpenAPI's form."""
    return method.lower() in description()["paths"].get(_paths().get(normal(path), ""), {})


@functools.lru_cache(maxsize=512)
def _validator(method: str, path: str, status: int) -> Draft202012Validator | None:
    """The validator for an answer's body; None where the description promises no JSON."""
    pointer = f"/paths/{_paths()[normal(path)].replace('/', '~1')}/{method.lower()}/responses/{status}"
    response = _at(pointer, description())
    if "$ref" in response:
        pointer = response["$ref"].removeprefix("#")
        response = _at(pointer, description())
    content = response.get("content", {})
    if "application/json" not in content:
        return None
    reference = f"github:#{pointer}/content/application~1json/schema".replace("{", "%7B").replace("}", "%7D")
    return Draft202012Validator({"$ref": reference}, registry=_registry(), format_checker=_FORMATS)


def _at(pointer: str, whole: dict[str, Any]) -> Any:
    node: Any = whole
    for step in pointer.split("/")[1:]:
        node = node[step.replace("~1", "/").replace("~0", "~")]
    return node


def statuses(method: str, path: str) -> set[str]:
    """The HTTP statuses that the description names for an operation."""
    return set(description()["paths"][_paths()[normal(path)]][method.lower()]["responses"])


def faults(method: str, path: str, status: int, body: Any) -> list[str]:
    """What is wrong with an answer, one line a fault; empty when it is as GitHub describes it.

    ``path`` is the route below ``/api/v3`` with its parameters, ``body`` the parsed JSON or None. Refusals that
    GitHub gives everywhere but does not list for every operation are held against its basic error.
    """
    if not known(method, path):
        return [f"{method} {path}: GitHub has no such operation"]
    if status >= 400:
        return [f"{method} {path} {status}: {line}" for line in _error_faults(method, path, status, body)]
    if str(status) not in statuses(method, path):
        return [f"{method} {path}: GitHub never answers {status}"]
    validator = _validator(method, path, status)
    if validator is None:
        return [] if body is None else [f"{method} {path} {status}: a body where GitHub sends none"]
    return [f"{method} {path} {status}: {line}" for line in _lines(validator, body)]


def _error_faults(method: str, path: str, status: int, body: Any) -> Iterator[str]:
    """An error's body; ``status`` stands in all of GitHub's errors, and in few of their descriptions."""
    listed = str(status) in statuses(method, path)
    if not listed and status not in _ANYWHERE:
        yield "GitHub never answers so"
        return
    validator = _validator(method, path, status) if listed else None
    if validator is None:
        validator = _component("validation-error" if status == 422 else "basic-error")
    found = list(_lines(validator, body))
    if found and isinstance(body, dict) and body.get("status") == str(status):
        found = list(_lines(validator, {name: each for name, each in body.items() if name != "status"}))
    yield from found


@functools.lru_cache(maxsize=8)
def _component(name: str) -> Draft202012Validator:
    reference = {"$ref": f"github:#/components/schemas/{name}"}
    return Draft202012Validator(reference, registry=_registry(), format_checker=_FORMATS)


def _lines(validator: Draft202012Validator, body: Any) -> Iterator[str]:
    for error in validator.iter_errors(body):
        for cause in _causes(error):
            place = "/".join(str(step) for step in cause.absolute_path)
            yield f"{place or '(top)'}: {cause.message[:300]}"


def _causes(error: jsonschema.ValidationError) -> list[jsonschema.ValidationError]:
    """The errors that say something: of alternatives, those of the one that came nearest."""
    if not error.context:
        return [error]
    branches: dict[int, list[jsonschema.ValidationError]] = {}
    for each in error.context:
        branches.setdefault(int(each.schema_path[0]), []).append(each)
    nearest = min(branches.values(), key=lambda found: (_is_null_branch(found), len(found)))
    return [cause for each in nearest for cause in _causes(each)]


def _is_null_branch(found: list[jsonschema.ValidationError]) -> bool:
    return len(found) == 1 and found[0].validator == "type" and found[0].validator_value == "null"
