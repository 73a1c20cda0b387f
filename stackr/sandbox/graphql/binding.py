"""Ties resolvers to the fields of the schema, and Python values to the names of their GraphQL types.

A resolver file makes one ``Fields("Ref")`` a type and registers functions on it; ``bind`` then fastens them all.
No resolver and no rule lives here.
"""

from __future__ import annotations

import builtins
import keyword
import operator
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from graphql import (
    GraphQLAbstractType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    is_introspection_type,
)

Resolver = Callable[..., Any]
R = TypeVar("R", bound=Resolver)

_FIELDS: dict[str, dict[str, Resolver]] = {}
_DECLARED: list[tuple[tuple[str, ...], str]] = []
_NAMES: dict[type, Callable[[Any], str]] = {}
_BUILTINS = frozenset(dir(builtins))


def camel(name: str) -> str:
    """``base_ref_name`` as GitHub spells it: ``baseRefName``."""
    first, *rest = name.strip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def snake(name: str) -> str:
    """``headRefName`` as Python spells it; names that Python uses itself get a trailing underscore."""
    spelt = re.sub(r"([A-Z])", r"_\1", name).lower()
    return f"{spelt}_" if keyword.iskeyword(spelt) or spelt in _BUILTINS else spelt


class Fields:
    """The resolvers of one object type, or of several that share them."""

    def __init__(self, *types: str) -> None:
        self.types = types

    def __call__(self, function: R) -> R:
        """Register a resolver ``(value, info, **arguments)`` under its own name, in camel case.

        Arguments arrive in snake case: ``headRefName`` as ``head_ref_name``, ``input`` as ``input_``.
        """
        self.add(camel(function.__name__), function)
        return function

    def add(self, field: str, function: Resolver) -> None:
        """Register a resolver under this very name."""
        _DECLARED.append((self.types, field))
        for type_name in self.types:
            _FIELDS.setdefault(type_name, {})[field] = function

    def has(self, field: str) -> bool:
        """Whether something was registered for a field."""
        return field in _FIELDS.get(self.types[0], {})

    def resolver(self, field: str) -> Resolver:
        """What was registered for a field, for another type that answers it the same way."""
        return _FIELDS[self.types[0]][field]

    def attributes(self, names: str = "", /, **renamed: str) -> None:
        """Fields that are attributes of the value: ``names`` in camel case, or ``isDraft="draft"``."""
        for name in names.split():
            renamed[camel(name)] = name
        for field, attribute in renamed.items():
            self.add(field, _getter(attribute))

    def constants(self, **values: Any) -> None:
        """Fields that are the same for every value of the sandbox."""
        for field, value in values.items():
            self.add(field, lambda _value, _info, constant=value, **_arguments: constant)


def _getter(attribute: str) -> Resolver:
    get = operator.attrgetter(attribute)
    return lambda value, _info: get(value)


def names(kind: type, name: str | Callable[[Any], str]) -> None:
    """Values of this Python class are of this GraphQL type (a function where it depends on the value)."""
    _NAMES[kind] = name if callable(name) else lambda _value: name


def type_name(value: Any) -> str:
    """The GraphQL type of a value that stands where an interface or a union is asked for."""
    return _NAMES[type(value)](value)


def object_types(schema: GraphQLSchema) -> Iterable[GraphQLObjectType]:
    """The schema's own object types."""
    for type_ in schema.type_map.values():
        if isinstance(type_, GraphQLObjectType) and not is_introspection_type(type_):
            yield type_


def bind(schema: GraphQLSchema) -> GraphQLSchema:
    """Give every field its resolver and every abstract type its resolution. May be called again."""
    for type_ in object_types(schema):
        resolvers = _FIELDS.get(type_.name, {})
        for name, field in type_.fields.items():
            field.resolve = resolvers.get(name) or _by_key(type_, name)
            for argument_name, argument in field.args.items():
                argument.out_name = snake(argument_name)
    for abstract in schema.type_map.values():
        if isinstance(abstract, GraphQLInterfaceType | GraphQLUnionType):
            abstract.resolve_type = _resolve_type
    return schema


def _by_key(type_: GraphQLObjectType, name: str) -> Resolver | None:
    """Payloads of mutations are dictionaries that hold only what there is to say."""
    if type_.name.endswith("Payload"):
        return lambda payload, _info: payload.get(name)
    return None


def _resolve_type(value: Any, _info: Any, _type: GraphQLAbstractType) -> str:
    return type_name(value)


def homeless(schema: GraphQLSchema) -> list[str]:
    """Resolvers of fields that none of their types has, as ``Type.field``; for a test."""
    fields = {type_.name: type_.fields for type_ in object_types(schema)}
    return [
        f"{'/'.join(types)}.{field}"
        for types, field in _DECLARED
        if not any(field in fields.get(name, {}) for name in types)
    ]


def unbound(schema: GraphQLSchema) -> list[str]:
    """Fields nobody answers, as ``Type.field``; for a test."""
    return [
        f"{type_.name}.{name}"
        for type_ in object_types(schema)
        for name, field in type_.fields.items()
        if field.resolve is None
    ]
