"""One figure for each policy, for the page that explains them: how it does beside chance and beside the limit.

`python -m labelbandit.experiments.policy_portraits RESULTS FOLDER` draws them from the results of
`labelbandit reproduce b --also crosscheck`.
"""

import sys
from pathlib import Path

from labelbandit.experiments.claims.cases import CROWDS
from labelbandit.experiments.figures import save
from labelbandit.experiments.paper_figures.accuracy import draw_accuracy
from labelbandit.experiments.results import Results, load_results
from labelbandit.model.errors import LabelbanditError

PANELS = tuple(f"ionosphere/{crowd}" for crowd in CROWDS)
LIMITS = ("random", "oracle")
PORTRAITS = {
    "random": (),
    "bbta": ("bbta", "bbta:explore=0", "bbta:explore=5"),
    "crosscheck": ("crosscheck", "bbta"),
    "optkg": ("optkg", "optkg:workers=equal", "bbta"),
    "optkg-multi": ("optkg-multi", "optkg", "bbta"),
    "iethresh": ("iethresh", "bbta"),
    "crowdsense": ("crowdsense", "bbta"),
}
"""By policy: what is drawn, besides the limits."""


def draw_portraits(results: Results, folder: Path) -> None:
    """A picture of each policy, three crowds side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, methods in PORTRAITS.items():
        save(draw_accuracy(results, PANELS, (*methods, *LIMITS)), folder / f"{name}.png")


def main(arguments: list[str]) -> int:
    """Draw them; exit codes as those of the command line."""
    if len(arguments) != 2:
        print("usage: python -m labelbandit.experiments.policy_portraits RESULTS FOLDER", file=sys.stderr)  # noqa: T201
        return 2
    try:
        draw_portraits(load_results(Path(arguments[0])), Path(arguments[1]))
    except LabelbanditError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
