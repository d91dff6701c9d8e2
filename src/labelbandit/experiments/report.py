"""The report of a reproduction."""

from pathlib import Path


def write_report(out: Path) -> None:
    """Write figures, claims and report.html from the results in the folder (to come)."""
