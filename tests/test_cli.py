"""The command line: what it prints where, and how it refuses."""

import contextlib
import io
import json
import re
import subprocess
import sys

import pytest

import labelbandit
from labelbandit.cli import comparing, demo_story, main, progress

SMALL = ["simulate", "--tasks=12", "--workers=4", "--contexts=2", "--budget=3", "--runs=3", "--jobs=1"]
HEAVY = {"numba", "numpy", "matplotlib", "joblib", "pandas", "rich"}


@pytest.fixture
def run(capsys):
    """Run a command and return its exit code, stdout and stderr."""

    def run(*arguments):
        code = main(arguments)
        return code, *capsys.readouterr()

    return run


def imported_by(code):
    script = f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["simulate", "--help"],
        ["demo", "--help"],
        ["ask", "--help"],
        ["import", "tasks", "--help"],
        [],
    ],
)
def test_help_and_version_import_nothing_heavy(arguments):
    modules = imported_by(f"import labelbandit.cli; assert labelbandit.cli.main({arguments!r}) == 0")
    assert "labelbandit.cli.simulate" in modules
    assert modules & HEAVY == set()


def test_the_version_is_the_package_s(run):
    assert run("--version") == (0, f"labelbandit {labelbandit.__version__}\n", "")


def test_no_command_shows_the_commands(run):
    code, out, _ = run()
    assert code == 0
    assert "simulate" in out
    assert "demo" in out


def test_the_package_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "labelbandit", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"labelbandit {labelbandit.__version__}\n"


def test_exit_codes_reach_the_shell():
    command = [sys.executable, "-m", "labelbandit", "simulate", "--policy=luck"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""


def test_the_table_has_a_row_for_each_policy(run):
    code, out, err = run(*SMALL, "--policy=bbta:explore=1", "--policy=random")
    assert code == 0
    assert err == ""
    assert "3 runs" in out
    rows = [line for line in out.splitlines() if line.startswith(("bbta:explore=1 ", "random "))]
    assert [row.count("±") for row in rows] == [3, 3]
    assert all(row.rstrip().endswith("36") for row in rows)


def test_the_table_says_what_the_default_stands_for(run):
    _, out, _ = run(*SMALL)
    assert any(line.startswith("default is crosscheck:") for line in out.splitlines())


def test_json_is_one_document_with_the_curves_and_the_world(run):
    code, out, err = run(*SMALL, "--policy=bbta:explore=1", "--policy=random", "--format=json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert {key: document[key] for key in document if key != "policies"} == {
        "tasks": 12,
        "workers": 4,
        "contexts": 2,
        "classes": 2,
        "crowd": "spammer-hammer",
        "seed": 0,
        "runs": 3,
        "version": labelbandit.__version__,
    }
    bbta, random = document["policies"]
    assert (bbta["name"], random["name"]) == ("bbta:explore=1", "random")
    assert bbta["parameters"]["explore"] == 1
    assert random["policy"] == "random"
    assert bbta["budget"] == [1.0, 2.0, 3.0]
    assert all(0 < share <= 1 for share in bbta["accuracy_mean"])
    assert len(bbta["accuracy_se"]) == 3
    assert (bbta["runs"], bbta["labels_used"], bbta["notes"]) == (3, 36, [])


def test_the_same_command_prints_the_same(run):
    assert run(*SMALL, "--format=json") == run(*SMALL, "--format=json")


def test_more_than_two_classes_can_be_simulated(run):
    code, out, _ = run(*SMALL, "--classes=4", "--format=json")
    assert code == 0
    assert json.loads(out)["classes"] == 4


def test_notes_go_to_stderr(run):
    code, out, err = run(*SMALL, "--budget=9", "--policy=random", "--format=json")
    assert code == 0
    assert "labelbandit: note on random: nothing was left to ask after 48 labels" in err
    assert json.loads(out)["policies"][0]["labels_used"] == 48


def test_plot_leaves_the_figure(run, tmp_path):
    path = tmp_path / "curves.png"
    code, out, _ = run(*SMALL, f"--plot={path}")
    assert code == 0
    assert "±" in out
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--budget=0"], "budget of 0"),
        (["--budget=-1"], "budget of -1"),
        (["--budget=nan"], "budget of nan"),
        (["--budget=much"], "'much' is not a number"),
        (["--policy=luck"], "'luck'"),
        (["--policy=bbta:luck=1"], "'luck'"),
        (["--policy=bbta:explore=some"], "'some'"),
        (["--policy=random", "--policy=luck"], "'luck'"),
        (["--crowd=mob"], "'mob'"),
        (["--crowd=one-coin:good=2"], "good=2"),
        (["--crowd=malicious", "--contexts=1"], "malicious"),
        (["--workers=0"], "0 workers"),
        (["--tasks=0"], "0 tasks"),
        (["--tasks=1.5"], "'1.5' is not a whole number"),
        (["--contexts=0"], "0 contexts"),
        (["--classes=1"], "1 classes"),
        (["--runs=0"], "0 runs"),
        (["--jobs=0"], "0 jobs"),
        (["--seed=-1"], "seed -1"),
        (["--format=xml"], "'xml'"),
        (["--luck=1"], "--luck"),
        (["--plot=curves.gif"], "curves.gif"),
        (["--plot=missing/curves.png"], "missing"),
    ],
)
def test_bad_input_is_told_in_one_sentence_that_names_it(run, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*SMALL, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("labelbandit: ")
    assert err.count("\n") == 1
    assert named in err
    assert list(tmp_path.iterdir()) == []


def test_bad_input_draws_no_figure(run, tmp_path):
    code, _, _ = run(*SMALL, f"--plot={tmp_path / 'curves.png'}", "--runs=0")
    assert code == 2
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_command_is_refused_in_one_line(run):
    code, out, err = run("guess")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "'guess'" in err


def test_a_plot_file_that_is_a_folder_is_refused(run, tmp_path):
    folder = tmp_path / "curves.png"
    folder.mkdir()
    code, _, err = run(*SMALL, f"--plot={folder}")
    assert code == 2
    assert "curves.png" in err


def test_a_failing_machine_is_no_bad_input(run, monkeypatch):
    def fail(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(comparing, "run", fail)
    assert run(*SMALL) == (1, "", "labelbandit: no space left\n")


@pytest.fixture(scope="module")
def small_demo(tmp_path_factory):
    """What a demo that takes no time says, and its folder."""
    folder = tmp_path_factory.mktemp("new") / "demo"
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as out:
        patch.setattr(demo_story, "TASKS", 60)
        patch.setattr(demo_story, "WORKERS", 12)
        assert main(["demo", f"--out={folder}"]) == 0
    return out.getvalue(), folder


@pytest.mark.xdist_group("demo")
def test_the_demo_tells_both_accuracies_and_leaves_files_and_a_figure(small_demo):
    out, folder = small_demo
    ours, naive = (float(share) for share in re.findall(r"(\d+\.\d) % ", out))
    assert ours > naive > 50
    assert "Both campaigns spent 360 of 360" in out
    assert (folder / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert len((folder / "labels.csv").read_text().splitlines()) == 361
    assert len((folder / "estimates.csv").read_text().splitlines()) == 61


@pytest.mark.xdist_group("demo")
def test_the_commands_that_the_demo_proposes_are_understood(run, small_demo, tmp_path, monkeypatch):
    proposed = [line.split("labelbandit ", 1)[1].split() for line in small_demo[0].partition("Try next:")[2].splitlines()[1:]]
    monkeypatch.chdir(tmp_path)
    cheap = {"explain": lambda words: [word if word != "700" else "7" for word in words], "simulate": lambda _: SMALL}
    assert [words[0] for words in proposed] == ["status", "explain", "log", "simulate", "init"]
    assert [run(*cheap.get(words[0], list)(words))[0] for words in proposed] == [0, 0, 0, 0, 0]


@pytest.mark.xdist_group("demo")
def test_the_demo_can_be_watched_again(run, small_demo, monkeypatch):
    monkeypatch.setattr(demo_story, "TASKS", 6)
    monkeypatch.setattr(demo_story, "WORKERS", 3)
    assert run("demo", f"--out={small_demo[1]}")[0] == 0


def test_the_demo_refuses_a_folder_that_is_a_file(run, tmp_path):
    taken = tmp_path / "taken"
    taken.touch()
    code, out, err = run("demo", f"--out={taken}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "taken" in err


def test_a_narrow_terminal_gets_fewer_columns_and_always_the_last():
    budgets = [float(budget) for budget in range(1, 16)]
    assert comparing.points_that_fit(budgets, room=9) == [0, 1, 2, 4, 7, 9, 14]
    assert comparing.points_that_fit(budgets, room=3) == [0, 4, 14]
    assert comparing.points_that_fit(budgets, room=0) == [14]


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(capsys, monkeypatch, terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with progress.spinner("Thinking"), progress.bar("Simulating", 2) as move:
        move()
    with progress.count("tasks read") as add:
        add(10)
    out, err = capsys.readouterr()
    assert out == ""
    assert bool(err) == terminal


@pytest.fixture
def tiny_set(tmp_path, monkeypatch):
    """A folder of data sets with one in it, called tiny."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    pairs = [(task, worker) for task in range(6) for worker in range(4) if (task + worker) % 4]
    labels = [f"t{task},w{worker},{'ab'[(task + (worker == 3)) % 2]}" for task, worker in pairs]
    (folder / "labels.csv").write_text("\n".join(["task,worker,label", *labels]))
    (folder / "truth.csv").write_text("\n".join(["task,truth", *(f"t{task},{'ab'[task % 2]}" for task in range(6))]))
    monkeypatch.setenv("LABELBANDIT_DATA", str(tmp_path))
    return folder


ON_SET = ["simulate", "--budget=9", "--runs=2", "--jobs=1", "--policy=random", "--policy=oracle", "--format=json"]


def test_a_data_set_is_replayed_by_its_name_or_path(run, tiny_set):
    code, out, err = run(*ON_SET, "--dataset=tiny")
    document = json.loads(out)
    assert (code, document["dataset"], document["tasks"], document["workers"]) == (0, "tiny", 6, 4)
    assert [policy["labels_used"] for policy in document["policies"]] == [18, 18]
    assert "nothing was left to ask after 18 labels" in err
    by_path = json.loads(run(*ON_SET, f"--dataset={tiny_set}")[1])
    assert by_path["policies"] == document["policies"]


def test_a_data_set_can_be_completed(run, tiny_set):
    document = json.loads(run(*ON_SET, "--dataset=tiny", "--complete")[1])
    assert [policy["labels_used"] for policy in document["policies"]] == [24, 24]


def test_a_benchmark_has_the_paper_s_contexts_and_workers_unless_told_otherwise(run):
    asked = [
        "simulate",
        "--dataset=ionosphere",
        "--crowd=malicious",
        "--budget=1",
        "--runs=1",
        "--policy=random",
        "--format=json",
    ]
    document = json.loads(run(*asked)[1])
    assert [document[key] for key in ("tasks", "workers", "contexts", "crowd")] == [351, 30, 3, "malicious"]
    assert json.loads(run(*asked, "--workers=7")[1])["workers"] == 7


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--dataset=tiny", "--tasks=5"], "--tasks and --dataset tiny do not go together"),
        (["--dataset=tiny", "--crowd=malicious"], "--crowd and --dataset tiny do not go together"),
        (["--dataset=ionosphere", "--complete"], "--complete and --dataset ionosphere do not go together"),
        (["--complete"], "--complete makes up labels of a data set: name it with --dataset"),
        (["--dataset=nothing"], "there is no data set 'nothing'"),
        (["--trouble=drift", "--dataset=tiny"], "recorded workers cannot drift"),
        (["--trouble=strike"], "strike"),
        (["--load=nowhere.py"], "there is no file nowhere.py to load"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run, tiny_set, options, sentence):
    code, out, err = run("simulate", *options)
    assert (code, out) == (2, "")
    assert sentence in err
