"""One grammar for policies and crowds, in CLI, library and log alike: `name[:key=value,…]`."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from labelbandit.model.errors import BadInput, UnknownParameter

Parsed = TypeVar("Parsed")


def parse(text: str, known: Mapping[str, type[Parsed]], what: str, unknown: type[BadInput]) -> Parsed:
    """Build the dataclass that the text names, with the parameters it gives."""
    name, colon, rest = text.strip().partition(":")
    if name not in known:
        raise unknown(f"unknown {what} {name!r}: choose one of {', '.join(sorted(known))}")
    if colon and not rest:
        raise UnknownParameter(f"{text!r} ends after the colon: write {name!r}, or {name}:key=value")
    return known[name](**_parameters(name, known[name], rest))


def spell(value: Any) -> str:
    """Write a policy or crowd with all its parameters resolved, as `parse` reads it."""
    given = ",".join(f"{key}={_spell_value(item)}" for key, item in parameters(value).items())
    return f"{value.name}:{given}" if given else str(value.name)


def parameters(value: Any) -> dict[str, int | float | bool | str]:
    """All parameters by name."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _spell_value(item: bool | float | str) -> str:
    return {True: "yes", False: "no"}[item] if isinstance(item, bool) else str(item)


def _parameters(name: str, kind: type[Any], rest: str) -> dict[str, Any]:
    types = {field.name: get_type_hints(kind)[field.name] for field in fields(kind)}
    given: dict[str, Any] = {}
    for part in rest.split(",") if rest else ():
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if key not in types:
            takes = f"it takes {', '.join(types)}" if types else "it takes none"
            raise UnknownParameter(f"{name} has no parameter {key!r}: {takes}")
        if not equals:
            raise UnknownParameter(f"{name}:{key} has no value: write {key}=…")
        if key in given:
            raise UnknownParameter(f"{name} was given {key} twice: say it once")
        given[key] = _value(f"{name}:{key}={text}", text, types[key])
    return given


def _value(where: str, text: str, kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return _one_of(where, text, {option: option for option in get_args(kind)})
    if kind is bool:
        return _one_of(where, text, {"yes": True, "no": False})
    try:
        value = kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise BadInput(f"{where}: {text!r} is not {wanted}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"{where}: give a finite number, not {text}")
    return value


def _one_of(where: str, text: str, options: Mapping[str, Any]) -> Any:
    if text not in options:
        raise BadInput(f"{where}: choose {' or '.join(options)}, not {text!r}")
    return options[text]
