"""The page on the paper in the documents, written from the results of a reproduction.

`python -m labelbandit.experiments.paper_page results docs/paper.md` writes the page and its pictures beside it.
"""

import re
import shutil
import sys
from pathlib import Path

from labelbandit.experiments.claims import judge_all, result_of
from labelbandit.experiments.claims.verdicts import Finding
from labelbandit.experiments.page import run_facts
from labelbandit.experiments.paper_figures import DRAWINGS, draw_all
from labelbandit.experiments.paper_figures.drawing import Drawn
from labelbandit.experiments.report import rules_in_words, what_is_missing
from labelbandit.experiments.report_tables import Table, facts_of, numbers_of
from labelbandit.experiments.results import Results, load_results
from labelbandit.model.errors import BadInput, LabelbanditError

PICTURES = (
    "workers",
    "comparison",
    "exploration",
    "long-run",
    "real-workers",
    "real-data",
    "regret",
    "labels-to-reach",
    "good-context",
)
"""The figures that are kept beside the page: together they stay below two megabytes."""


def write_page(out: Path, page: Path) -> None:
    """Write the page from the results in the folder, and its pictures to `images/paper` beside it."""
    if page.suffix != ".md":
        raise BadInput(f"cannot write the page to {str(page)!r}: give a file that ends in .md")
    results = load_results(out)
    drawn, missing = draw_all(results, out / "figures", [each for each in DRAWINGS if each.key in PICTURES])
    findings = judge_all(results)
    pictures = page.parent / "images" / "paper"
    pictures.mkdir(parents=True, exist_ok=True)
    for each in drawn:
        shutil.copyfile(each.svg, pictures / each.svg.name)
    page.write_text(_text(results, findings, drawn, what_is_missing(results, findings, missing)), "utf-8")


def _text(results: Results, findings: list[Finding], drawn: list[Drawn], missing: list[str]) -> str:
    meta = results.meta
    facts = ", ".join(f"{name} {value}" for name, value in run_facts(meta))
    panels = [panel for panel in results.panels if results.methods(panel.name)]
    intro = (
        "The experiments of *Bandit-based task assignment for heterogeneous crowdsourcing* (BBTA), run again: every empirical "
        "claim with a verdict, and the figures. `python -m labelbandit.experiments.paper_page` writes this page from the "
        "results of one command; do not edit it."
    )
    parts = [
        "# The paper, reproduced",
        intro,
        f"```\n{_without_folders(str(meta.get('command', 'labelbandit reproduce')))}\n```",
        f"Made with {facts}." if facts else "",
        "## Claims and verdicts",
        _markdown(_claims(findings)),
        "## How verdicts are made",
        *rules_in_words(findings, meta),
        "## Figures",
        *(_figure(each) for each in drawn),
        "## Numbers",
        *(f"### {panel.title}\n\n{_markdown(numbers_of(results, panel))}" for panel in panels),
        "## Panels",
        _markdown(facts_of(results.panels)),
        "## What is missing",
        "\n".join(f"- {_without_folders(sentence)}" for sentence in missing) or "Nothing was left out.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _claims(findings: list[Finding]) -> Table:
    rows = [
        (finding.claim.sentence, f"**{finding.verdict.value}**", result_of(finding), finding.claim.test, finding.claim.where)
        for finding in findings
    ]
    caption = "Differences are in percentage points unless said otherwise, with 95 % intervals."
    return Table(caption, ("claim", "verdict", "result", "how it was tested", "where"), rows)


def _figure(drawn: Drawn) -> str:
    return f"### {drawn.title}\n\n![{drawn.shows}](images/paper/{drawn.svg.name})\n\n{drawn.caption}"


def _markdown(table: Table) -> str:
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return (
        table.caption
        + "\n\n"
        + "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    )


def _without_folders(text: str) -> str:
    """Paths of the machine it ran on cut down to their last part."""
    return re.sub(r"(?<![\w.])(?:/[\w.@~-]+)+/([\w.@~-]+)", r"\1", text)


def main(arguments: list[str]) -> int:
    """Write the page; exit codes as those of the command line."""
    if len(arguments) != 2:
        print("usage: python -m labelbandit.experiments.paper_page RESULTS PAGE.md", file=sys.stderr)  # noqa: T201
        return 2
    try:
        write_page(Path(arguments[0]), Path(arguments[1]))
    except LabelbanditError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
