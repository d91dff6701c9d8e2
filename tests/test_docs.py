"""The documents: their code runs, their links lead somewhere, and what they say matches the package."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from urllib.parse import unquote

import pytest

import labelbandit
from labelbandit.cli import main
from labelbandit.policies.registry import POLICIES
from labelbandit.simulation.crowds import CROWDS, OTHER_CROWDS
from labelbandit.simulation.troubles import TROUBLES
from tests import commands_page

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + DOCS
MAIN_WORDS = set(
    re.split(
        ", ",
        "worker, task, context, class, answer, label, assignment, campaign, policy, budget, price, estimate, margin, "
        "probability, expert, gold, log, board, decision number, reach, hold, propensity, weight, loss, share, score, "
        "sheet, openings, frontier, state, rule, world, crowd, run, regret, ask, tell, decline, lapse, attach",
    )
)

# Put together here, so that this file does not contain what it looks for.
REGISTRY_HOSTS = [f"{name}.org" for name in ("pypi", "pythonhosted", "npmjs", "anaconda")]
MACHINE_FOLDERS = "home|Users|work|root|tmp|mnt|srv|opt|private"
MACHINE_PATH = re.compile(rf"(?<![\w./:~$}}*-])/(?:{MACHINE_FOLDERS})/[\w.]|\b[A-Z]:\\(?:{MACHINE_FOLDERS})\b")
NOT_OURS = {"__pycache__", "demo", "results", "build", "dist"}


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks(page, language):
    """The blocks of code in that language, continued lines joined; those without a language are for the shell."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [code.replace("\\\n", " ") for written_in, code in found if written_in == language]


def python_blocks(page):
    return blocks(page, "python")


def without_code(page):
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def links(page):
    return re.findall(r"\]\(([^)\s]+)\)", without_code(page))


def anchors(page):
    """The anchors that headings get: lower case, punctuation gone, spaces to hyphens."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    broken = []
    for link in links(page):
        if "://" in link:
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.is_relative_to(ROOT) or not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


def is_ours(folder):
    return folder == ".ci" or not (folder.startswith(".") or folder in NOT_OURS)


def tracked_texts():
    """Every text of the repository by name: not what tools and runs leave behind."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = filter(is_ours, folders)
        for path in (Path(folder) / file for file in sorted(files)):
            try:
                yield name_of(path), path.read_text("utf-8")
            except UnicodeDecodeError:
                continue


def parameter_names(kinds):
    return {(name, field.name) for name, kind in kinds.items() for field in fields(kind)}


def defined_words(glossary):
    return [word for bold in re.findall(r"\*\*([^*]+)\*\*", glossary) for word in bold.split(", ")]


def section(text, heading):
    """The text from a heading of the second level to the next."""
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=name_of)
def test_code_in_the_documents_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for number, block in enumerate(python_blocks(page), 1):
        code = compile(block, f"{name_of(page)}, block {number}", "exec")
        exec(code, namespace)  # noqa: S102 - running it is the point


def test_the_readme_example_leaves_a_campaign_on_disk(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in python_blocks(ROOT / "README.md"):
        exec(block, {})  # noqa: S102 - running it is the point
    assert capsys.readouterr().out == "owl\n"
    progress = labelbandit.open_campaign("sqlite:///birds.db", "birds").progress()
    assert (progress.tasks, progress.labels, progress.spent, progress.budget) == (100, 1, 1, 300)


def test_the_example_of_the_engine_labels_nearly_everything_right(capsys):
    (block,) = (block for block in python_blocks(ROOT / "docs" / "simulation.md") if "of 200 right" in block)
    exec(block, {})  # noqa: S102 - running it is the point
    right, rest = capsys.readouterr().out.split(" ", 1)
    assert int(right) >= 180
    assert rest == "of 200 right\n"


def shell_lines(page):
    """What a page tells people to type."""
    lines = [line for block in blocks(page, language="") for line in block.splitlines()]
    return [line.split("#")[0] for line in lines if re.match(r"\S*\blabelbandit ", line)]


def test_the_tutorial_works_as_written(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "tutorial.md"
    for name, content in re.findall(r"`(\w+\.csv)`:\n\n```csv\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(content)
    typed = shell_lines(page)
    assert len(typed) > 15
    for line in typed:
        assert main(shlex.split(line)[1:]) == 0, (line, capfd.readouterr().err)
    assert (tmp_path / "estimates.csv").read_text().startswith("task,label,probability")
    assert "decisions are as they should be" in capfd.readouterr().out


def test_the_commands_of_the_readme_work_as_written(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks.csv").write_text("task\nb1\nb2\n")
    typed = [line for line in shell_lines(ROOT / "README.md") if not re.search(" simulate | serve ", line)]
    assert len(typed) == 6
    for line in typed:
        assert main(shlex.split(line)[1:]) == 0, (line, capfd.readouterr().err)


def commands_shown():
    """What the documents tell people to type, as (words of the command, option) with None for the command itself."""
    known = {" ".join(words) for words in commands_page.commands()}
    shown = set()
    for line in (line for page in PAGES for line in shell_lines(page)):
        words = line.split()[1:]
        command = next((" ".join(words[:count]) for count in (2, 1) if " ".join(words[:count]) in known), words[0])
        shown |= {(command, None)} | {(command, option) for option in re.findall(r"--[\w-]+", line)}
    return shown


def test_every_command_shown_exists_with_its_options():
    shown = commands_shown()
    assert {("ask", "--format"), ("regret", "--plot"), ("import tasks", None)} <= shown
    for command in {command for command, _ in shown}:
        known = set(re.findall(r"--[\w-]+", commands_page.help_on(command.split())))
        assert {option for asked, option in shown if asked == command and option} <= known


def test_the_reference_of_commands_is_what_they_say():
    page = commands_page.PAGE.read_text("utf-8")
    assert page.partition("\n## ")[2] == commands_page.reference().removeprefix("## "), "run python -m tests.commands_page"


@pytest.mark.parametrize("verb", [name for name in vars(labelbandit.Campaign) if not name.startswith("_")])
def test_every_verb_of_a_campaign_is_documented(verb):
    internal = {"name", "classes", "terms", "board", "payload", "looking", "worker_number", "whose"}
    assert verb in internal or f"`{verb}" in (ROOT / "docs" / "campaigns.md").read_text("utf-8")


def test_the_numbers_beside_the_picture_are_those_of_its_command(tmp_path):
    readme = (ROOT / "README.md").read_text("utf-8")
    (block,) = (block for block in blocks(ROOT / "README.md", language="") if "docs/images/accuracy.png" in block)
    typed = shlex.split(block.replace("docs/images/accuracy.png", str(tmp_path / "accuracy.png")))[1:]
    run = [sys.executable, "-m", "labelbandit", *typed, "--format", "json"]
    ours, naive = json.loads(subprocess.run(run, capture_output=True, check=True).stdout)["policies"]
    said = {
        5: r"gets (\S+) % of the tasks right, and asking at random (\S+) %",
        15: r"BBTA is at (\S+) % with 15 labels per task, random assignment at (\S+) %",
        1: r"\((\S+) % against (\S+) % in the picture above",
        2: r"with two, (\S+) against (\S+)\)",
    }
    for labels, pattern in said.items():
        numbers = [float(number) for number in re.search(pattern, readme).groups()]
        reached = [100 * policy["accuracy_mean"][labels - 1] for policy in (ours, naive)]
        assert numbers == pytest.approx(reached, abs=0.5), labels  # other machines may round `exp` otherwise


def test_every_option_of_simulate_is_documented():
    text = (ROOT / "docs" / "simulation.md").read_text("utf-8")
    known = set(re.findall(r"^ +(--[\w-]+)", commands_page.help_on(["simulate"]), re.MULTILINE)) - {"--help"}
    assert "--budget" in known
    assert [option for option in sorted(known) if option not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_pictures_lead_somewhere(page):
    assert broken_links(page) == []


def test_a_broken_link_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# Here\n[a](#here) [b](#there) [c](missing.md) [d](../outside.md) ![e](page.md)\n")
    assert broken_links(page) == ["#there", "missing.md", "../outside.md"]


def test_every_document_is_on_the_map():
    index = ROOT / "docs" / "index.md"
    on_the_map = {(index.parent / link).resolve() for link in links(index)}
    assert set(PAGES) - {index} <= on_the_map


def test_every_policy_and_parameter_is_documented():
    text = (ROOT / "docs" / "policies.md").read_text("utf-8")
    missing = [name for name in POLICIES if f"`{name}`" not in text]
    assert missing == []
    own = {name: kind for name, kind in POLICIES.items() if name == kind.name}
    undocumented = [(name, key) for name, key in parameter_names(own) if f"| `{key}` |" not in section(text, f"`{name}`")]
    assert undocumented == []


def test_documented_defaults_are_the_defaults():
    text = (ROOT / "docs" / "policies.md").read_text("utf-8")
    spelled = {True: "`yes`", False: "`no`"}
    for kind in POLICIES.values():
        for field in fields(kind):
            row = re.search(rf"^\| `{field.name}` \|.*$", section(text, f"`{kind.name}`"), re.MULTILINE)
            assert row is not None, field.name
            default = row[0].split(" | ")[2]
            wanted = spelled[field.default] if isinstance(field.default, bool) else str(field.default)
            assert default.strip("`") == wanted.strip("`"), field.name


def test_every_crowd_and_parameter_is_documented():
    crowds = section((ROOT / "docs" / "simulation.md").read_text("utf-8"), "Crowds")
    for name, kind in {**CROWDS, **OTHER_CROWDS}.items():
        row = re.search(rf"^\| `{name}` \|.*$", crowds, re.MULTILINE)
        assert row is not None, name
        assert {field.name for field in fields(kind)} == set(re.findall(r"`(\w+)`", row[0].split(" | ")[-1]))
        for field in fields(kind):
            assert field.name == "deal" or f"`{field.name}={field.default}`" in crowds


def test_every_trouble_and_parameter_is_documented():
    troubles = section((ROOT / "docs" / "simulation.md").read_text("utf-8"), "Troubles")
    for name, kind in TROUBLES.items():
        row = re.search(rf"^\| `{name}` \|.*$", troubles, re.MULTILINE)
        assert row is not None, name
        assert {field.name for field in fields(kind)} == set(re.findall(r"`(\w+)=", row[0].split(" | ")[-1]))


def test_the_glossary_defines_the_main_words():
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    assert MAIN_WORDS - set(defined_words(glossary)) == set()


def test_the_glossary_defines_no_word_twice():
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    words = defined_words(glossary)
    assert sorted(words) == sorted(set(words))


def test_no_file_names_a_folder_of_somebodys_machine():
    assert [(name, found[0]) for name, text in tracked_texts() if (found := MACHINE_PATH.search(text))] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see /" + "home/ann/data", True),
        ("open('/" + "tmp/x.png')", True),
        ("C:" + r"\Users\ann", True),
        ("#!/usr/bin/env bash", False),
        ("docs/" + "work/plan.md", False),
        ("https://example.org/" + "home/ann", False),
    ],
)
def test_machine_paths_are_told_from_others(text, found):
    assert bool(MACHINE_PATH.search(text)) is found


def test_no_file_names_a_package_registry():
    assert [(name, host) for name, text in tracked_texts() for host in REGISTRY_HOSTS if host in text] == []


def test_the_search_through_all_files_sees_them():
    seen = {name for name, _ in tracked_texts()}
    assert {"README.md", "pyproject.toml", "requirements.lock", "Makefile", ".ci/run", "tests/test_docs.py"} <= seen
    assert not any(".venv" in name or "__pycache__" in name for name in seen)


def test_one_version_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    latest = re.search(r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert latest is not None
    assert project["version"] == labelbandit.__version__ == latest[1]


def test_every_dependency_has_its_reason_in_the_readme():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = project["dependencies"] + [one for extra in project["optional-dependencies"].values() for one in extra]
    reasons = section((ROOT / "README.md").read_text("utf-8"), "What it needs").lower()
    assert [one for one in needed if re.match(r"[\w-]+", one)[0] not in reasons] == []


@pytest.mark.parametrize(("page", "most"), [("README.md", 120), ("CONTRIBUTING.md", 80)])
def test_short_documents_stay_short(page, most):
    assert len((ROOT / page).read_text("utf-8").splitlines()) <= most
