"""Cells of a CSV file that a spreadsheet would run as formulas, made inert in a way that can be undone.

A cell that begins with one of = + - @ tab or carriage return, perhaps after apostrophes, gets one more apostrophe in
front. Reading takes one away again, so every text comes back as it was.
"""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_INERT = re.compile(r"'+[=+\-@\t\r]")


def inert(text: str) -> str:
    """The text as it may stand in a CSV file."""
    return f"'{text}" if _FORMULA.match(text) else text


def plain(cell: str) -> str:
    """The text that the cell stands for."""
    return cell[1:] if _INERT.match(cell) else cell
