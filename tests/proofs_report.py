"""Proofs for the report: it opens from disk with no network, and every figure has a caption. Run on fabricated results."""

import tempfile
from pathlib import Path

from labelbandit.experiments.paper_figures import DRAWINGS
from labelbandit.experiments.report import write_report
from tests.browser import SHOWN, WIDTH, chromium, opened
from tests.fabricated import everything, write
from tests.pages import Page


def report_stands_alone():
    with tempfile.TemporaryDirectory() as folder:
        rows, panels, regrets = everything()
        out = write(Path(folder), rows, panels, regrets)
        write_report(out)
        page = (out / "report.html").read_text("utf-8")
        read = Page(page)
        outside = [source for source in read.sources if not source.startswith("data:")]
        yield "report.html asks for nothing outside itself", f"{len(outside)} of {len(read.sources)} sources", not outside
        worded = sum(len(image["alt"]) > 20 for image in read.images)
        measured = f"{len(read.images)} figures, {read.captions} captions, {worded} with words for those who do not see them"
        yield "every figure has a caption", measured, len(read.images) == read.captions == worded == len(DRAWINGS)
        if chromium() is None:
            yield "opens from disk with no network", "not run: there is no Chromium", False
            return
        for width in (1280, 390):
            with opened(out / "report.html", width) as shown:
                figures, wide = shown.evaluate(SHOWN), shown.evaluate(WIDTH)
            measured = f"{figures} of {len(DRAWINGS)} figures shown, {wide} pixels wide"
            fits = figures == len(DRAWINGS) and wide <= width
            yield f"opens from disk with no network, {width} pixels wide, nothing sticks out", measured, fits
