"""The methods: what they are called in tables and how they look in figures, the same everywhere."""

from typing import Literal, NamedTuple

from labelbandit.experiments.figures import COLOURS, look

BLUE, VERMILION, GREEN, PINK, SKY, ORANGE, BLACK = COLOURS
_NAVY, _PURPLE = "#00304A", "#6A3D9A"


class Method(NamedTuple):
    """How a method is shown."""

    title: str
    colour: str
    line: Literal["-", "--", "-.", ":"]
    width: float


METHODS = {
    "crosscheck": Method("crosscheck", _PURPLE, "-", 2.4),
    "crosscheck:frequencies=no": Method("crosscheck, classes taken as even", _PURPLE, ":", 1.8),
    "bbta": Method("BBTA (N' = 1)", BLUE, "-", 2.4),
    "bbta:explore=0": Method("BBTA (N' = 0)", SKY, "-", 1.8),
    "bbta:explore=5": Method("BBTA (N' = 5)", _NAVY, "--", 1.8),
    "bbta:explore=10": Method("BBTA (N' = 10)", _PURPLE, "-.", 1.8),
    "optkg-multi": Method("OptKG (Multi.)", VERMILION, "-", 1.8),
    "optkg": Method("OptKG", ORANGE, "-", 1.8),
    "optkg:workers=equal": Method("OptKG (equal workers)", ORANGE, ":", 1.8),
    "crowdsense": Method("CrowdSense", GREEN, "--", 1.8),
    "iethresh": Method("IEThresh", PINK, "--", 1.8),
    "random+em": Method("random, one-coin EM", GREEN, "-.", 1.6),
    "random+dawid-skene": Method("random, Dawid-Skene", PINK, "-.", 1.6),
    "random": Method("naive (random)", BLACK, "-", 1.4),
    "oracle": Method("oracle", "#777777", "--", 1.0),
}
"""By method, in the order of legends and tables."""


def method(name: str) -> Method:
    """How the method is shown; one that the paper does not have gets a look of its own from its name."""
    if name in METHODS:
        return METHODS[name]
    colour, _ = look(sum(name.encode()))
    return Method(name, colour, "-.", 1.6)


def in_order(names: list[str]) -> list[str]:
    """The paper's methods first, in their order, then others as they come."""
    return [name for name in METHODS if name in names] + [name for name in names if name not in METHODS]
