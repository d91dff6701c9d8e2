"""A page that needs nothing but itself: contents, sections, figures within, and how the results were made."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from labelbandit.experiments.markup import Html, image, join, tag
from labelbandit.experiments.paper_figures.drawing import Drawn


def sheet(title: str, summary: Html, sections: Sequence[tuple[str, str, Html]], drawn: Sequence[Drawn]) -> str:
    """The whole page: sections have a key, a title and what is in them; figures are also in the contents."""
    contents = tag("nav", tag("ul", [_entry(key, words, drawn) for key, words, _ in sections]), aria_label="Contents")
    body = [tag("section", tag("h2", words, id=key), content) for key, words, content in sections]
    head = join(
        [
            Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
            tag("title", title),
            tag("style", Html(_style())),
        ]
    )
    main = tag("main", tag("h1", title), summary, contents, body)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{main}</body></html>\n'


def _style() -> str:
    return (files("labelbandit.experiments") / "report.css").read_text("utf-8")


def _entry(key: str, title: str, drawn: Sequence[Drawn]) -> Html:
    inner = tag("ul", [tag("li", tag("a", each.title, href=f"#{each.key}")) for each in drawn]) if key == "figures" else ""
    return tag("li", tag("a", title, href=f"#{key}"), inner)


def figure(drawn: Drawn) -> Html:
    """A figure with its heading and caption; the picture is in the page."""
    source = "data:image/svg+xml;base64," + b64encode(drawn.svg.read_bytes()).decode("ascii")
    picture = tag("figure", image(source, drawn.shows), tag("figcaption", drawn.caption))
    return join([tag("h3", drawn.title, id=drawn.key), picture])


def made_by(meta: Mapping[str, Any]) -> Html:
    """The command that made it."""
    return tag("p", "Made by ", tag("code", str(meta["command"])), ".") if meta.get("command") else Html("")


def run_facts(meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How the results were made, as far as is known."""
    wanted = {"version": "labelbandit", "python": "Python", "seed": "seed", "runs": "runs", "cores": "cores", "date": "date"}
    facts = [(title, str(meta[key])) for key, title in wanted.items() if key in meta]
    return [*facts, ("time", f"{meta['seconds'] / 60:.1f} minutes")] if "seconds" in meta else facts
