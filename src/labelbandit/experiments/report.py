"""The report of a reproduction: figures, claims and one page that needs nothing but itself."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labelbandit.experiments.claims import comparisons, judge_all, result_of, spell_interval, write_claims
from labelbandit.experiments.claims.verdicts import Case, Finding, Verdict
from labelbandit.experiments.markup import Html, definitions, details, join, table, tag
from labelbandit.experiments.page import figure, made_by, run_facts, sheet
from labelbandit.experiments.paper_figures import draw_all
from labelbandit.experiments.paper_figures.drawing import Drawing, Drawn
from labelbandit.experiments.report_tables import facts_of, numbers_of
from labelbandit.experiments.results import Results, load_results

_BADGES = {
    Verdict.HOLDS: ("✓", "holds"),
    Verdict.FAILS: ("✗", "fails"),
    Verdict.OPEN: ("≈", "open"),
    Verdict.UNTESTED: ("–", "untested"),
}
"""A sign and a class for each verdict: the words and the sign say it without the colour."""


def write_report(out: Path) -> None:
    """Read the results in the folder and write its figures, claims.csv and report.html."""
    results = load_results(out)
    drawn, missing = draw_all(results, out / "figures")
    findings = judge_all(results)
    write_claims(findings, out / "claims.csv")
    draft = out / ".report.html.draft"
    draft.write_text(page(results, findings, drawn, missing), "utf-8")
    draft.replace(out / "report.html")


def page(results: Results, findings: list[Finding], drawn: Sequence[Drawn], missing: Sequence[Drawing]) -> str:
    """The whole page."""
    sections = [
        ("claims", "The paper's claims", _claims(findings)),
        ("rules", "How verdicts are made", _rules(findings, results.meta)),
        ("figures", "Figures", join(map(figure, drawn))),
        ("numbers", "Numbers", _numbers(results)),
        ("cases", "Every case", _cases(findings)),
        ("panels", "Panels", _facts(results)),
        ("missing", "What is missing", _missing(results, findings, missing)),
    ]
    return sheet("Bandit-based task assignment, reproduced", _summary(results.meta, findings), sections, drawn)


def _summary(meta: Mapping[str, Any], findings: list[Finding]) -> Html:
    counted = ", ".join(
        f"{sum(finding.verdict == verdict for finding in findings)} {words}"
        for verdict, words in (
            (Verdict.HOLDS, "hold"),
            (Verdict.FAILS, "do not hold"),
            (Verdict.OPEN, "are not significant"),
            (Verdict.UNTESTED, "cannot be tested"),
        )
    )
    intro = (
        "The experiments of the paper on bandit-based task assignment in heterogeneous crowdsourcing (BBTA), run again. "
        f"Of {len(findings)} claims that can be wrong, {counted}."
    )
    quick = "This was a quick run: few runs, wide intervals. It shows that everything works, not what is true."
    notice = tag("p", quick, class_="notice") if meta.get("quick") else ""
    return join([tag("p", intro), notice, definitions(run_facts(meta)), made_by(meta)])


def badge(verdict: Verdict) -> Html:
    """The verdict as a sign and words."""
    sign, kind = _BADGES[verdict]
    return tag("span", f"{sign} {verdict.value}", class_=f"badge {kind}")


def _claims(findings: list[Finding]) -> Html:
    rows = [
        (
            tag("a", finding.claim.sentence, href=f"#case-{finding.claim.key}"),
            badge(finding.verdict),
            result_of(finding),
            f"{finding.claim.test} Needed: {finding.claim.quota.value}.",
            finding.claim.where,
        )
        for finding in findings
    ]
    caption = "Differences are in percentage points unless said otherwise, with 95 % intervals."
    return table(caption, ("claim", "verdict", "result", "how it was tested", "where"), rows, "claims")


def rules_in_words(findings: list[Finding], meta: Mapping[str, Any]) -> list[str]:
    """How verdicts come about, in paragraphs."""
    count = comparisons(findings)
    cases = (
        "The rules are part of the program and were fixed before the full run. A claim is tested in cases: one "
        "panel, or one pair of methods on one panel. Every method meets the same worlds, so differences are taken run by run"
        f"{_over(meta)}. The 95 % interval of their mean is Student's; where the number is no mean, it is a bootstrap."
    )
    verdicts = (
        "A case holds if its whole interval lies on the side that the claim says, does not hold if all of it lies on the other "
        "side, and is not significant otherwise. A claim needs as many of its cases to hold as its wording asks for; it does "
        "not hold once too many are against it. So a claim about every case fails with a single case that is significantly "
        "against it."
    )
    chance = (
        f"{count} cases were tested in all, and nothing was corrected for their number: where there is no difference at all, "
        f"about one case in forty still comes out significant on either side ({count / 40:.0f} of {count})."
    )
    budgets = (
        "Where methods are compared over a whole curve, the area between 2N and 15N decides (N is the number of tasks); "
        "accuracy at 5N and 15N stands beside. What IEThresh and CrowdSense cost is an outcome: they are swept over "
        "thresholds, and each run is read where the sweep crosses a mean cost; budgets that no threshold leads to are left "
        "out of the area."
    )
    return [cases, verdicts, chance, budgets]


def _over(meta: Mapping[str, Any]) -> str:
    return f" (over {meta['runs']} runs)" if "runs" in meta else ""


def _rules(findings: list[Finding], meta: Mapping[str, Any]) -> Html:
    return join(tag("p", words) for words in rules_in_words(findings, meta))


def _numbers(results: Results) -> Html:
    panels = [panel for panel in results.panels if results.methods(panel.name)]
    if not panels:
        return tag("p", "Nothing was run.")
    made = [(panel, numbers_of(results, panel)) for panel in panels]
    return join(details(panel.title, table(each.caption, each.header, each.rows, "numbers")) for panel, each in made)


def _cases(findings: list[Finding]) -> Html:
    """One table for each claim."""
    header = ("panel", "compared", "measure", "estimate", "beside", "verdict")
    parts = []
    for finding in findings:
        claim = finding.claim
        rows = [_case(case, claim.digits) for case in finding.cases]
        made = table(claim.test, header, rows) if rows else tag("p", result_of(finding))
        summary = tag("summary", badge(finding.verdict), " ", claim.sentence)
        # The anchor is inside: a browser then opens what is folded when a link leads there.
        parts.append(tag("details", summary, tag("div", made, id=f"case-{claim.key}")))
    return join(parts)


def _case(case: Case, digits: int) -> tuple[str, ...]:
    tested = case.verdict != Verdict.UNTESTED
    estimate = spell_interval(case.estimate, digits) if tested else "–"
    beside = "; ".join(f"{where}: {spell_interval(interval, digits)}" for where, interval in case.beside)
    return (case.panel, case.compared, case.measure, estimate, beside, badge(case.verdict))


def _facts(results: Results) -> Html:
    made = facts_of(results.panels)
    return table(made.caption, made.header, made.rows, "facts")


def what_is_missing(results: Results, findings: list[Finding], missing: Sequence[Drawing]) -> list[str]:
    """Sentences on what was left out, and why."""
    said = [str(sentence) for sentence in results.meta.get("left_out", [])]
    said += [f"Not drawn, since nothing was run for it: {drawing.title}." for drawing in missing]
    for finding in findings:
        if finding.verdict == Verdict.UNTESTED:
            said.append(f"Not tested, because {finding.claim.untested_because}: {finding.claim.sentence}")
        elif untested := finding.count(Verdict.UNTESTED):
            said.append(f"Tested without {untested} of its {len(finding.cases)} cases: {finding.claim.sentence}")
    return said


def _missing(results: Results, findings: list[Finding], missing: Sequence[Drawing]) -> Html:
    said = what_is_missing(results, findings, missing)
    return tag("ul", [tag("li", sentence) for sentence in said]) if said else tag("p", "Nothing was left out.")
