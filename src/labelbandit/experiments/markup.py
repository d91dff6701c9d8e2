"""HTML without surprises: text is escaped unless it was made by these functions."""

from collections.abc import Iterable, Sequence
from html import escape


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *children: str | Iterable[str], **attributes: str) -> Html:
    """An element with its children; `class_` and the like lose their underscore, inner ones become hyphens."""
    spelt = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{spelt}>{join(children)}</{name}>")


def join(children: Iterable[str | Iterable[str]]) -> Html:
    """Children one after the other, whatever is not HTML escaped."""
    return Html("".join(_one(child) if isinstance(child, str) else join(child) for child in children))


def _one(child: str) -> str:
    return child if isinstance(child, Html) else escape(child)


def image(source: str, alt: str) -> Html:
    """A picture with the words that stand for it."""
    return Html(f'<img src="{escape(source)}" alt="{escape(alt)}">')


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> Html:
    """A table in a box of its own that scrolls sideways; the first column names the rows."""
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in header]))
    body = tag("tbody", [_row(header, row) for row in rows])
    made = tag("table", tag("caption", caption), head, body, class_=kind)
    return tag("div", made, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _row(header: Sequence[str], row: Sequence[str]) -> Html:
    """Each cell knows its column, for screens too narrow to have columns."""
    cells = [tag("td", cell, data_label=name) for name, cell in zip(header[1:], row[1:], strict=True)]
    return tag("tr", tag("th", row[0], scope="row"), cells)


def definitions(pairs: Iterable[tuple[str, str]]) -> Html:
    """Names and what they stand for."""
    return tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs])


def details(summary: str, *content: str | Iterable[str]) -> Html:
    """What is shown on request."""
    return tag("details", tag("summary", summary), *content)
