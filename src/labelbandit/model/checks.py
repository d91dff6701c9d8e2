"""Numbers in their range, or a sentence that names the value and what to give instead."""

import numpy as np

from labelbandit.model.errors import BadInput


def whole_number(sentence: str, value: object, least: int, most: int | None = None) -> int:
    """The value as an int, if it is a whole number in the range; the sentence has a {} for what was given instead."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if whole and least <= int(value) and (most is None or int(value) <= most):  # type: ignore[call-overload]
        return int(value)  # type: ignore[call-overload, no-any-return]
    limit = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise BadInput(f"{sentence.format(repr(value))} will not do: give a whole number {limit}")


def number(sentence: str, value: object, least: float, most: float) -> float:
    """The value as a float, if it is a number in the range; the sentence has a {} for what was given instead."""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if real and least <= float(value) <= most:  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    raise BadInput(f"{sentence.format(repr(value))} will not do: give a number from {least:g} to {most:g}")
