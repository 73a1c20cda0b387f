"""``stackr.records.dataclass`` makes what ``dataclasses.dataclass`` makes, as far as stackr uses it."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from stackr import records


@records.dataclass(frozen=True, slots=True)
class Point:
    """At the top level, for pickle."""

    x: int
    y: int = 2
    tags: list[str] = dataclasses.field(default_factory=list, compare=False)
    secret: str = dataclasses.field(default="s", repr=False)


@records.dataclass(frozen=True, slots=True)
class Place(Point):
    """A record may extend another."""

    name: str = "here"


def both(build: Callable[[Any], type]) -> tuple[type, type]:
    """The same class by us and by the standard library."""
    return build(records.dataclass), build(dataclasses.dataclass)


def test_arguments_and_defaults_are_those_of_the_class_body() -> None:
    point = Point(1)
    assert (point.x, point.y, point.tags, point.secret) == (1, 2, [], "s")
    assert Point(1, y=5, tags=["a"]).tags == ["a"]
    assert Point(1).tags is not Point(1).tags


@pytest.mark.parametrize("arguments", [(), (1, 2, [], "s", 5)])
def test_wrong_arguments_are_refused_as_python_refuses_them(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="argument"):
        Point(*arguments)


def test_repr_leaves_out_what_must_not_be_shown() -> None:
    assert repr(Point(1)) == "Point(x=1, y=2, tags=[])"


def test_equality_and_hash_look_at_the_compared_fields_and_the_class() -> None:
    assert Point(1, tags=["a"]) == Point(1) != Point(2)
    assert hash(Point(1, tags=["a"])) == hash(Point(1))
    assert Point(1) != Place(1)
    assert Point(1) != (1, 2)


def test_a_frozen_record_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert not hasattr(point, "__dict__")


def test_the_helpers_of_dataclasses_work() -> None:
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y", "tags", "secret"]
    assert dataclasses.replace(Point(1), y=9) == Point(1, 9)
    assert dataclasses.asdict(Place(1)) == {"x": 1, "y": 2, "tags": [], "secret": "s", "name": "here"}
    assert dataclasses.is_dataclass(Point(1))


def test_copies_and_pickles_are_equal() -> None:
    place = Place(1, name="there", tags=["a"])
    for again in (copy.copy(place), copy.deepcopy(place), pickle.loads(pickle.dumps(place))):
        assert (again, again.tags) == (place, ["a"])


def test_a_record_can_be_matched_by_position() -> None:
    match Place(1, 3):
        case Place(x, y):
            assert (x, y) == (1, 3)


def test_an_extended_record_has_the_slots_of_both_once() -> None:
    assert Place.__slots__ == ("name",)
    assert Place(1, 2, [], "s", "there").name == "there"


def test_a_standard_dataclass_can_extend_a_record() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class More(Point):
        z: int = 3

    assert (More(1).x, More(1).z) == (1, 3)


def test_a_changeable_record_has_no_hash() -> None:
    @records.dataclass(slots=True)
    class Counter:
        count: int = 0

    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_without_eq_a_record_is_equal_to_itself_alone() -> None:
    @records.dataclass(frozen=True, slots=True, eq=False)
    class Thing:
        name: str

    thing = Thing("a")
    assert thing == thing != Thing("a")
    assert len({thing, Thing("a")}) == 2


def test_methods_of_the_class_itself_win() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Name:
        text: str

        def __repr__(self) -> str:
            return "a name"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Name) and self.text.lower() == other.text.lower()

        def __hash__(self) -> int:
            return hash(self.text.lower())

    assert repr(Name("A")) == "a name"
    assert Name("A") == Name("a")
    assert len({Name("A"), Name("a")}) == 1


def test_fields_that_are_no_arguments_get_their_defaults() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Cache:
        name: str
        seen: list[int] = dataclasses.field(default_factory=list, init=False)
        hits: int = dataclasses.field(default=7, init=False)
        later: int = dataclasses.field(init=False)

    cache = Cache("a")
    assert (cache.seen, cache.hits) == ([], 7)
    assert not hasattr(cache, "later")
    assert Cache.__match_args__ == ("name",)


def test_post_init_is_called() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Positive:
        value: int

        def __post_init__(self) -> None:
            if self.value < 0:
                raise ValueError("negative")

    with pytest.raises(ValueError, match="negative"):
        Positive(-1)


def test_a_record_without_fields_can_be_made() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    assert Nothing() == Nothing()


def test_the_signature_is_the_standard_one_as_soon_as_there_is_a_record() -> None:
    def build(decorate: Any) -> type:
        class Pair:
            left: int
            right: str = "r"

        made: type = decorate(frozen=True, slots=True)(Pair)
        return made

    ours, standard = both(build)
    ours(1)
    assert inspect.signature(ours).parameters == inspect.signature(standard).parameters
    assert (ours.__qualname__, ours.__module__) == (standard.__qualname__, standard.__module__)


def test_a_record_without_slots_can_cache_what_it_works_out() -> None:
    def build(decorate: Any) -> type:
        class Sum:
            parts: tuple[int, ...] = ()
            names: list[str] = dataclasses.field(default_factory=list)
            note: str = dataclasses.field(default="n", compare=False)

            @functools.cached_property
            def total(self) -> int:
                return sum(self.parts)

        made: type = decorate(frozen=True)(Sum)
        return made

    for kind in both(build):
        one = kind((1, 2))
        assert (one.total, one.names, one.note, kind.note) == (3, [], "n", "n")
        assert "names" not in vars(kind)
        assert one == kind((1, 2), note="other") != kind((1,))
        assert copy.copy(one) == one == dataclasses.replace(kind(), parts=(1, 2))
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.parts = ()


def test_a_record_that_extends_another_is_made_by_its_own_fields_whichever_comes_first() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Plain:
        x: int

    @records.dataclass(frozen=True, slots=True)
    class Named(Plain):
        name: str = "n"

    class Loud(Named):
        """No record itself: it has the ``__init__`` of the one above."""

    assert (Loud(1, "l").name, Named(2).name, Plain(3).x) == ("l", "n", 3)
