"""The report of a comparison: exceptions first, then figures, every number and every paired comparison."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelbandit.experiments.calibration import BUDGETS as CALIBRATED
from labelbandit.experiments.comparison.figures import KINDS, Calibration, draw_comparison
from labelbandit.experiments.comparison.pairing import TOLERATED, Pairing, pairings
from labelbandit.experiments.comparison.standing import BUDGETS, TARGETS, Standing, standings
from labelbandit.experiments.markup import Html, definitions, details, join, table, tag
from labelbandit.experiments.methods import method
from labelbandit.experiments.page import figure, made_by, run_facts, sheet
from labelbandit.experiments.paper_figures.drawing import Drawn
from labelbandit.experiments.report_tables import facts_of
from labelbandit.experiments.results import Results, load_results
from labelbandit.experiments.tidy import write_json
from labelbandit.simulation.oracle import Oracle

_SEEDS = (
    "Parameters of our policies were chosen on other seeds, 1000 and above, than those reported here; the base seed 0 is for "
    "reports only."
)


def write_report(out: Path) -> None:
    """Read the results in the folder and write its figures, summary.json and report.html."""
    results = load_results(out)
    calibrations: list[Calibration] = json.loads((out / "calibration.json").read_text("utf-8"))
    drawn = draw_comparison(results, calibrations, out / "figures")
    paired = pairings(results, *_contestants(results))
    standing = list(standings(results))
    write_json(_summary_document(standing, paired), out / "summary.json")
    draft = out / ".report.html.draft"
    draft.write_text(page(results, standing, paired, calibrations, drawn), "utf-8")
    draft.replace(out / "report.html")


def _contestants(results: Results) -> tuple[str, list[str]]:
    """The first method, and those it is compared with: neither the oracle nor itself with other parameters."""
    first, *others = results.meta["methods"]
    own = first.partition(":")[0]
    return first, [name for name in others if name != Oracle.name and name.partition(":")[0] != own]


def _summary_document(standing: Sequence[Standing], paired: Sequence[Pairing]) -> dict[str, Any]:
    return {
        "standings": [each.document() for each in standing],
        "comparisons": [_pairing_document(each) for each in paired],
        "exceptions": [_pairing_document(each) for each in paired if each.exception],
    }


def _pairing_document(pairing: Pairing) -> dict[str, Any]:
    return {
        "panel": pairing.panel,
        "method": pairing.one,
        "other": pairing.other,
        "budget": pairing.budget,
        "difference": pairing.difference.value,
        "low": pairing.difference.low,
        "high": pairing.difference.high,
        "p": pairing.p,
        "runs": pairing.runs,
    }


def page(
    results: Results,
    standing: Sequence[Standing],
    paired: Sequence[Pairing],
    calibrations: Sequence[Calibration],
    drawn: Sequence[Drawn],
) -> str:
    """The whole page."""
    sections = [
        ("exceptions", "Exceptions", _exceptions(results, paired)),
        ("figures", "Figures", join(map(figure, drawn))),
        ("numbers", "Numbers", _numbers(results, standing)),
        ("calibration", "Calibration", _calibration(calibrations)),
        ("pairs", "Every paired comparison", _pairs(paired)),
        ("panels", "Panels", _facts(results)),
        ("missing", "What is missing", _missing(results)),
    ]
    return sheet("Policies compared", _summary(results, paired), sections, drawn)


def _summary(results: Results, paired: Sequence[Pairing]) -> Html:
    first, others = _contestants(results)
    better, exceptions = sum(each.better for each in paired), sum(each.exception for each in paired)
    intro = (
        f"{method(first).title} against {', '.join(method(name).title for name in others) or 'nobody'}, on "
        f"{len(results.panels)} panels at equal budgets: of {len(paired)} paired comparisons it is surely better in {better} "
        f"and an exception in {exceptions}."
    )
    return join([tag("p", intro), tag("p", _SEEDS), definitions(run_facts(results.meta)), made_by(results.meta)])


def _exceptions(results: Results, paired: Sequence[Pairing]) -> Html:
    rule = (
        f"An exception is a comparison in which the first method is worse by {100 * TOLERATED:g} point or more and its whole "
        f"95 % interval lies below 0. Differences are taken run by run on the same worlds. Intervals are Student's, widened "
        f"after Holm so that all {len(paired)} hold together."
    )
    found = sorted((each for each in paired if each.exception), key=lambda each: each.difference.value)
    if not found:
        return join([tag("p", rule), tag("p", "There is none.")])
    rows = [_pairing_row(each) for each in found]
    caption = f"{len(found)} of {len(paired)} comparisons; differences in points."
    return join([tag("p", rule), table(caption, _PAIR_HEADER, rows, "numbers")])


_PAIR_HEADER = ("panel", "against", "budget", "difference", "95 % interval", "p")


def _pairing_row(pairing: Pairing) -> tuple[str, ...]:
    value, low, high = (100 * number for number in pairing.difference)
    other = method(pairing.other).title
    return pairing.panel, other, f"{pairing.budget:g}N", f"{value:+.1f}", f"{low:+.1f} to {high:+.1f}", f"{pairing.p:.2g}"


def _pairs(paired: Sequence[Pairing]) -> Html:
    parts = []
    for panel in dict.fromkeys(each.panel for each in paired):
        rows = [_pairing_row(each) for each in paired if each.panel == panel]
        parts.append(details(panel, table(f"{panel}: differences in points.", _PAIR_HEADER, rows, "numbers")))
    return join(parts) if parts else tag("p", "There is nothing to compare with.")


def _numbers(results: Results, standing: Sequence[Standing]) -> Html:
    targets = (f"labels to {100 * target:.0f} %" for target in TARGETS)
    header = ("method", *targets, *(f"at {budget:g}N" for budget in BUDGETS), "area", "at the end", "worst run", "log loss, 3N")
    parts = []
    for panel in results.panels:
        rows = [_standing_row(each) for each in standing if each.panel == panel.name]
        majority = f"{100 * panel.majority_class_accuracy:.1f} %"
        caption = f"{panel.title}: accuracy in %, labels per task. Each context its majority class scores {majority}."
        parts.append(details(panel.title, table(caption, header, rows, "numbers")))
    return join(parts)


def _standing_row(standing: Standing) -> tuple[str, ...]:
    labels = (_number(value, 1.0, 1) for value in standing.labels_to)
    reads = (_number(value, 100.0, 1) for value in (*standing.at, standing.area, standing.at_end, standing.worst))
    return (method(standing.method).title, *labels, *reads, _number(standing.log_loss, 1.0, 3))


def _number(value: float | None, factor: float, digits: int) -> str:
    return "–" if value is None else f"{factor * value:.{digits}f}"


def _calibration(calibrations: Sequence[Calibration]) -> Html:
    header = ("method", *(f"at {budget:g}N" for budget in CALIBRATED))
    parts = []
    for kind in dict.fromkeys(entry["kind"] for entry in calibrations):
        found = {(entry["method"], entry["budget"]): entry["error"] for entry in calibrations if entry["kind"] == kind}
        names = dict.fromkeys(name for name, _ in found)
        rows = [
            (method(name).title, *(_number(found.get((name, budget)), 100.0, 1) for budget in CALIBRATED)) for name in names
        ]
        caption = f"Expected calibration error in points, 15 bins of equally many tasks: {KINDS[kind]}, all runs together."
        parts.append(table(caption, header, rows, "numbers"))
    return join(parts) if parts else tag("p", "Nothing was measured at 2, 3 or 5 labels per task.")


def _facts(results: Results) -> Html:
    made = facts_of(results.panels)
    return table(made.caption, made.header, made.rows, "facts")


def _missing(results: Results) -> Html:
    said = [str(sentence) for sentence in results.meta.get("left_out", [])]
    return tag("ul", [tag("li", sentence) for sentence in said]) if said else tag("p", "Nothing was left out.")
