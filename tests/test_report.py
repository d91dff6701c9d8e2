"""The report: one page that needs nothing but itself, from whole results and from parts."""

import json
import os
import re
import shutil
import time
import xml.etree.ElementTree as ET

import pytest

from labelbandit.experiments import policy_portraits
from labelbandit.experiments.markup import Html, table, tag
from labelbandit.experiments.methods import METHODS, method
from labelbandit.experiments.paper_figures import DRAWINGS
from labelbandit.experiments.paper_page import PICTURES, _without_folders, main, write_page
from labelbandit.experiments.report import write_report
from labelbandit.experiments.report_tables import numbers_of
from labelbandit.experiments.results import load_results
from labelbandit.model.errors import BadData, BadInput
from labelbandit.policies.registry import POLICIES
from tests.browser import SHOWN, WIDTH, chromium, opened
from tests.fabricated import MARKS, META, NINE, everything, facts, fixed_rows, results_of, rising, write
from tests.pages import Page


def made_once(root, make):
    """The folder, made by whichever process comes first; the others wait for it."""
    folder, done = root / "report", root / "report.done"
    try:
        folder.mkdir()
    except FileExistsError:
        until = time.monotonic() + 300
        while not done.exists():
            assert time.monotonic() < until, "the process that draws the figures did not finish"
            time.sleep(0.1)
    else:
        make(folder)
        done.touch()
    return folder


def write_everything(folder):
    rows, panels, regrets = everything(panels=NINE[:1], real=("rte/replay",))
    write_report(write(folder, rows, panels, regrets))


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A folder with results of everything, and its report: drawing takes seconds, so it is shared by all processes."""
    own = tmp_path_factory.getbasetemp()
    return made_once(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own, write_everything)


@pytest.fixture(scope="module")
def page(full):
    return (full / "report.html").read_text("utf-8")


def test_the_page_asks_nothing_of_the_network(page):
    read = Page(page)
    assert all(source.startswith("data:") for source in read.sources)
    assert all(link.startswith("#") for link in read.links)
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "script" not in read.tags


def test_the_page_is_well_formed_and_its_links_lead_somewhere(page):
    read = Page(page)
    assert read.open == []
    assert len(set(read.ids)) == len(read.ids)
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)


def test_every_figure_is_there_with_words_for_it_and_a_caption(full, page):
    read = Page(page)
    assert len(read.images) == read.captions == len(DRAWINGS)
    assert all(len(image["alt"]) > 20 for image in read.images)
    for drawing in DRAWINGS:
        ET.parse(full / "figures" / f"{drawing.key}.svg")  # noqa: S314 - our own file
        assert (full / "figures" / f"{drawing.key}.png").stat().st_size > 5000


def test_verdicts_are_told_in_words_and_signs(page):
    badges = set(re.findall(r'<span class="badge \w+">(.*?)</span>', page))
    assert badges <= {"✓ holds", "✗ does not hold", "≈ not significant", "– cannot be tested"}
    assert len(badges) >= 3


def test_the_page_says_how_it_was_made(page):
    assert all(
        f"<dt>{name}</dt><dd>{value}</dd>" in page for name, value in (("seed", "0"), ("runs", "8"), ("time", "1.5 minutes"))
    )
    assert "<code>labelbandit reproduce</code>" in page


def test_the_page_on_the_paper_has_its_pictures_and_no_machine_in_it(full, tmp_path):
    folder = f"{tmp_path}/data"
    meta = {**META, "command": f"labelbandit reproduce --data {folder}", "left_out": [f"no sets in {folder}"]}
    results = shutil.copytree(full, tmp_path / "results")
    (results / "meta.json").write_text(json.dumps(meta))
    write_page(results, tmp_path / "paper.md")
    text = (tmp_path / "paper.md").read_text("utf-8")
    pictures = re.findall(r"!\[[^\]]+\]\((\S+)\)", text)
    assert len(pictures) == len(PICTURES)
    assert sum((tmp_path / picture).stat().st_size for picture in pictures) < 2_000_000
    assert "--data data" in text
    assert str(tmp_path) not in text
    assert text.count("\n| ") > 40


@pytest.mark.skipif(chromium() is None, reason="not run: there is no Chromium")
def test_a_phone_without_network_shows_every_figure_and_nothing_sticks_out(full):
    with opened(full / "report.html", width=390) as page:
        assert page.evaluate(SHOWN) == len(DRAWINGS)
        assert page.evaluate(WIDTH) == 390


def test_parts_of_the_results_make_a_page_that_says_what_is_missing(tmp_path):
    rows = fixed_rows(NINE[0], "random", rising(0.8)) + fixed_rows(NINE[0], "bbta", rising(0.9))
    meta = {**META, "quick": True, "left_out": ["panels of rte are left out: no data folder is given"]}
    write_report(write(tmp_path, rows, [facts(NINE[0])], meta=meta))
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "quick run" in page
    assert "panels of rte are left out" in page
    assert "Not drawn, since nothing was run for it: Regret" in page
    assert "Tested without 25 of its 30 cases" not in page
    assert "Tested without 29 of its 30 cases: BBTA with N&#x27; = 1 outperforms" in page


def test_facts_alone_make_a_page(tmp_path):
    write_report(write(tmp_path, [], [facts(NINE[0])], meta={}))
    page = (tmp_path / "report.html").read_text("utf-8")
    assert len(Page(page).images) == 1
    assert "Nothing was run." in page


def test_a_policy_of_the_users_own_is_drawn_and_listed():
    results = results_of(fixed_rows(NINE[0], "my-policy:x=1", rising(0.8)), [facts(NINE[0])])
    assert [row[0] for row in numbers_of(results, results.panels[0]).rows] == ["my-policy:x=1"]
    assert method("my-policy:x=1").title == "my-policy:x=1"


def test_no_two_methods_look_alike():
    assert len({(look.colour, look.line) for look in METHODS.values()}) == len(METHODS)


def test_numbers_are_given_where_they_were_wanted_or_say_where():
    rows = fixed_rows("rte/replay", "bbta", rising(1.0)[:, :3], marks=MARKS[:3])
    results = results_of(rows, [facts("rte/replay", kind="replay", budget=10.0)])
    ((name, at_five, _, _, to_90, _, to_99, to_own),) = numbers_of(results, results.panels[0]).rows
    assert name == "BBTA (N' = 1)"
    assert at_five.endswith("(3N)")
    assert (float(to_90), to_99) == (pytest.approx(3.0, abs=0.2), "–")
    assert float(to_own) < 3.0


def test_text_is_escaped_wherever_it_comes_from(tmp_path):
    evil = '<script>alert("x")</script>'
    assert tag("p", evil) == "<p>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</p>"
    assert "<script>" not in table(evil, (evil, evil), [(evil, evil)])
    assert tag("p", Html("<b>x</b>"), title=evil).count("<script>") == 0
    rows = fixed_rows("odd/one", evil, rising(0.8))
    panel = {**facts("odd/one", title=evil), "note": evil}
    write_report(write(tmp_path, rows, [panel], meta={**META, "command": evil, "left_out": [evil]}))
    assert "<script>" not in (tmp_path / "report.html").read_text("utf-8")


def test_missing_and_torn_files_are_named_with_the_remedy(tmp_path):
    with pytest.raises(BadData, match=r"there is no .*results\.parquet.*labelbandit reproduce"):
        load_results(tmp_path)
    write(tmp_path, [], [])
    (tmp_path / "panels.json").write_text("[\n{")
    with pytest.raises(BadData, match=r"panels\.json.*line 2"):
        load_results(tmp_path)


def test_the_page_on_the_paper_is_refused_where_it_cannot_be_written(tmp_path, capsys):
    with pytest.raises(BadInput, match=r"ends in \.md"):
        write_page(tmp_path, tmp_path / "paper.txt")
    assert main([str(tmp_path), str(tmp_path / "paper.md")]) == 2
    assert "results.parquet" in capsys.readouterr().err
    assert main([]) == 2
    assert not (tmp_path / "paper.md").exists()


def test_every_policy_has_its_portrait(full, tmp_path, capsys):
    assert policy_portraits.main([str(full), str(tmp_path / "portraits")]) == 0
    assert {path.stem for path in (tmp_path / "portraits").iterdir()} == set(POLICIES) - {"default"}
    assert policy_portraits.main([str(tmp_path), str(tmp_path)]) == 2
    assert "results.parquet" in capsys.readouterr().err


def test_only_folders_of_the_machine_are_cut(tmp_path):
    assert _without_folders(f"a 5/6 b {tmp_path}/y.csv rte/replay") == "a 5/6 b y.csv rte/replay"
