"""Terms: checked when given, with every default resolved, so that later defaults never change an old campaign."""

from dataclasses import replace
from math import isfinite
from typing import Any

from labelbandit.model.checks import number, whole_number
from labelbandit.model.errors import BadInput
from labelbandit.model.events import Terms
from labelbandit.model.grammar import spell
from labelbandit.policies.registry import policy_from

_MICRO = 1_000_000
_YEAR = 366 * 24 * 3600
LEASE = 3600.0
"""Seconds a worker has for an assignment, unless told otherwise."""


def make_terms(
    *,
    budget: int,
    policy: str,
    currency: str | None,
    lease: float,
    presence: float | None,
    hold: int,
    min_labels: int,
    max_labels: int | None,
    settle: float | None,
    target: float | None,
) -> Terms:
    """Terms as the log keeps them."""
    terms = Terms(
        budget=whole_number("a budget of {}", budget, 1),
        currency=_currency(currency),
        **_policy(policy),
        lease=_span("a lease of {} seconds", lease),
        presence=_span("a presence of {} seconds", lease if presence is None else presence),
        hold=whole_number("a hold of {}", hold, 1),
        least=whole_number("min_labels={}", min_labels, 1),
        most=None if max_labels is None else whole_number("max_labels={}", max_labels, 1),
        settle=None if settle is None else number("settle={}", settle, 0.5, 1.0),
        target=None if target is None else number("target={}", target, 0.5, 1.0),
    )
    return _consistent(terms)


def amended(terms: Terms, changes: dict[str, Any]) -> Terms:
    """The same terms with what was given changed."""
    checked: dict[str, Any] = {}
    for key, value in changes.items():
        match key:
            case "budget":
                checked["budget"] = whole_number("a budget of {}", value, 1)
            case "policy":
                checked |= _policy(value)
            case "lease" | "presence":
                checked[key] = _span(f"a {key} of {{}} seconds", value)
            case "hold":
                checked["hold"] = whole_number("a hold of {}", value, 1)
            case "min_labels":
                checked["least"] = whole_number("min_labels={}", value, 1)
            case "max_labels":
                checked["most"] = None if value is None else whole_number("max_labels={}", value, 1)
            case "settle" | "target":
                checked[key] = None if value is None else number(f"{key}={{}}", value, 0.5, 1.0)
    return _consistent(replace(terms, **checked))


def _consistent(terms: Terms) -> Terms:
    if terms.most is not None and terms.most < terms.least:
        raise BadInput(f"max_labels={terms.most} is less than min_labels={terms.least}: give at least as many")
    return terms


def _policy(text: str) -> dict[str, str]:
    policy = policy_from(text)
    if getattr(policy, "repeats", False):
        raise BadInput("repeats=yes asks a worker the same question twice, which only a simulation can: leave it out")
    return {"policy": spell(policy), "rule": f"{policy.name}/{getattr(policy, 'version', 1)}"}


def _span(sentence: str, seconds: object) -> int:
    checked = number(sentence, seconds, 1e-3, float(_YEAR))
    if not isfinite(checked):
        raise BadInput(sentence.format(seconds))
    return round(checked * _MICRO)


def _currency(currency: str | None) -> str | None:
    if currency is not None and not (isinstance(currency, str) and currency.isalpha() and len(currency) == 3):
        raise BadInput(f"currency {currency!r} will not do: give a code of three letters such as EUR, and money in its cents")
    return currency.upper() if currency else None
