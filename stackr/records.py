"""``dataclass`` as the standard library has it, made in a fraction of the time.

``dataclasses`` compiles up to six methods for every class, which was a fifth of what a submit without anything to do
takes (docs/internals/benchmarks.md). Here only ``__init__`` is compiled, and not before the first record of its class
is made; the other methods are shared functions over the names of the fields. ``fields``, ``replace`` and ``asdict`` of
``dataclasses`` work on these classes, as do pickle, copy and match, and ``inspect.signature`` once there is a record;
type checkers see the standard decorator.

Not here: ``order``, ``kw_only``, ``ClassVar``, ``InitVar``; for those there is the standard one.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True) -> Any:
        """The decorator; a class without slots is for those with a ``cached_property``."""
        make = _made if slots else _equipped
        return lambda cls: make(cls, frozen=frozen, eq=eq)


class _Params:
    """What ``dataclasses`` asks a base class for."""

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen


_PARAMS = {frozen: _Params(frozen) for frozen in (True, False)}
_MISSING = dataclasses.MISSING
_set = object.__setattr__


def _made(cls: type, *, frozen: bool, eq: bool) -> type:
    """The class again, with slots and methods: slots can only be given when a class is created."""
    own = _own_fields(cls)
    body = {name: value for name, value in vars(cls).items() if name not in (*own, "__dict__", "__weakref__")}
    taken = {name for base in cls.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
    body["__slots__"] = tuple(name for name in own if name not in taken)
    body |= _additions(cls, own, frozen=frozen, eq=eq)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def _equipped(cls: type, *, frozen: bool, eq: bool) -> type:
    """The class itself, with methods; what was a ``field()`` in its body becomes the default, or goes."""
    own = _own_fields(cls)
    for name, value in _additions(cls, own, frozen=frozen, eq=eq).items():
        if name not in ("__getstate__", "__setstate__"):  # its instances have a __dict__, which copy and pickle know
            setattr(cls, name, value)
    for name, field in own.items():
        if field.default is not _MISSING:
            setattr(cls, name, field.default)
        elif name in vars(cls):
            delattr(cls, name)
    return cls


def _additions(cls: type, own: dict[str, dataclasses.Field[Any]], *, frozen: bool, eq: bool) -> dict[str, Any]:
    """What a class gets besides what its body has."""
    fields: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(vars(base).get("__dataclass_fields__", {}))
    fields.update(own)
    added = {
        "__dataclass_fields__": fields,
        "__dataclass_params__": _PARAMS[frozen],
        "__match_args__": tuple(field.name for field in fields.values() if field.init),
    }
    methods = _methods(fields, frozen=frozen, eq=eq, checks=hasattr(cls, "__post_init__"))
    return {**added, **{name: method for name, method in methods.items() if _has_room(cls, name)}}


def _has_room(cls: type, name: str) -> bool:
    """Whether the class has no such method; one that has __eq__ has ``__hash__ = None``, put there by Python."""
    own = vars(cls)
    return name not in own or (name == "__hash__" and own[name] is None and "__eq__" not in own)


def _own_fields(cls: type) -> dict[str, dataclasses.Field[Any]]:
    fields = {}
    for name, annotation in cls.__annotations__.items():
        default = vars(cls).get(name, _MISSING)
        field: Any = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
        field.name, field.type, field.kw_only, field._field_type = name, annotation, False, _FIELD
        fields[name] = field
    return fields


def _methods(fields: dict[str, dataclasses.Field[Any]], *, frozen: bool, eq: bool, checks: bool) -> dict[str, Any]:
    names = tuple(fields)
    methods = {
        "__init__": _initializer_when_needed(fields, frozen=frozen, checks=checks),
        "__repr__": _representer(tuple(field.name for field in fields.values() if field.repr)),
        "__getstate__": lambda self: [getattr(self, name) for name in names],
        "__setstate__": _restorer(names),
    }
    if eq:
        methods |= _comparers(tuple(field.name for field in fields.values() if field.compare), frozen=frozen)
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    return methods


def _initializer_when_needed(fields: dict[str, dataclasses.Field[Any]], *, frozen: bool, checks: bool) -> Any:
    """Compiles itself at the first call, and puts the outcome in its own place."""

    def first(self: Any, *args: Any, **kwargs: Any) -> None:
        compiled = _initializer(fields, frozen=frozen, checks=checks)
        for cls in type(self).__mro__:
            if vars(cls).get("__init__") is first:  # not so where another thread was faster
                type.__setattr__(cls, "__init__", compiled)
        compiled(self, *args, **kwargs)

    return first


def _initializer(fields: dict[str, dataclasses.Field[Any]], *, frozen: bool, checks: bool) -> Any:
    """Compiled, so that calls are fast and a wrong argument is named as Python names it."""
    space: dict[str, Any] = {"_set": _set, "_MISSING": _MISSING}
    arguments, lines = ["self"], []
    for name, field in fields.items():
        value = name
        if field.default is not _MISSING:
            space[f"_default_{name}"] = field.default
            value = name if field.init else f"_default_{name}"
            arguments += [f"{name}=_default_{name}"] if field.init else []
        elif field.default_factory is not _MISSING:
            space[f"_make_{name}"] = field.default_factory
            value = f"_make_{name}() if {name} is _MISSING else {name}" if field.init else f"_make_{name}()"
            arguments += [f"{name}=_MISSING"] if field.init else []
        elif field.init:
            arguments.append(name)
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    lines += ["self.__post_init__()"] if checks else []
    exec(f"def __init__({', '.join(arguments)}):\n " + ("\n ".join(lines) or "pass"), space)  # noqa: S102
    made = space["__init__"]
    made.__annotations__ = {name: field.type for name, field in fields.items() if field.init} | {"return": None}
    return made


def _representer(names: tuple[str, ...]) -> Any:
    def representation(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return representation


def _comparers(names: tuple[str, ...], *, frozen: bool) -> dict[str, Any]:
    def values(self: Any) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in names])

    def equal(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed if frozen else None}


def _restorer(names: tuple[str, ...]) -> Any:
    def restore(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            _set(self, name, value)

    return restore


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Example:
    """One class made the standard way, for the mark that its fields carry; without methods it costs nothing."""

    value: int


_FIELD: Any = vars(_Example)["__dataclass_fields__"]["value"]._field_type
