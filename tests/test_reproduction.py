"""The reproduction: trials kept as they come, gone on with after a kill, the same on one machine and on a cluster."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from labelbandit.cli import main
from labelbandit.experiments import reproduce as experiment
from labelbandit.experiments.crew import share_out
from labelbandit.experiments.grounds import MadeUp
from labelbandit.experiments.journal import Journal, header
from labelbandit.experiments.panels import Panel
from labelbandit.experiments.tidy import tidy
from labelbandit.experiments.trials import Key, Parcel, work
from labelbandit.model.errors import BadInput

POLICIES = ("random", "bbta", "iethresh:threshold=0.9", "oracle")
pytest.importorskip("pyarrow", reason="not run: pyarrow is not installed")


class Watched:
    """Remembers what it was told."""

    def __init__(self):
        self.begun = None

    def stage(self, sentence):
        pass

    def begin(self, done, left, effort):
        self.begun = (done, left)

    def advance(self, effort):
        pass


def panel(name="tiny", policies=POLICIES, crowd="one-coin"):
    ground = MadeUp(crowd, tasks=20, workers=6, contexts=2)
    return Panel(name=name, title=name, kind="synthetic", ground=ground, budget=4.0, policies=policies)


def plan(*panels, runs=2, **asked):
    return experiment.Plan(experiment.Request(figures="", runs=runs, **asked), panels or (panel(),), ())


def carry_out(the_plan, out, **how):
    how = {"jobs": 1, "watcher": Watched()} | how
    experiment.reproduce(the_plan, out, **how)
    return how["watcher"]


def results(out):
    return (out / "results.csv").read_bytes(), json.loads((out / "panels.json").read_text())


def test_results_have_a_row_for_each_mark_and_one_for_the_end_of_a_swept_method(tmp_path):
    carry_out(plan(), tmp_path)
    rows = (tmp_path / "results.csv").read_text().splitlines()
    assert rows[0].replace('"', "") == "panel,policy,run,budget,labels,accuracy,right,in_good,entropy,log_loss"
    assert len(rows) == 1 + 2 * (3 * 4 + 1)


def test_going_on_runs_nothing_twice_and_changes_nothing(tmp_path):
    first = carry_out(plan(), tmp_path)
    before = results(tmp_path)
    again = carry_out(plan(), tmp_path)
    assert (first.begun, again.begun) == ((0, 8), (8, 0))
    assert results(tmp_path) == before


def test_more_runs_go_on_from_those_there_are(tmp_path):
    carry_out(plan(runs=1), tmp_path / "twice")
    assert carry_out(plan(runs=3), tmp_path / "twice").begun == (4, 8)
    carry_out(plan(runs=3), tmp_path / "once")
    assert results(tmp_path / "twice") == results(tmp_path / "once")


@pytest.mark.parametrize("lost", [1, 40, 3000])
def test_a_torn_last_line_is_run_again(tmp_path, lost):
    carry_out(plan(), tmp_path)
    before, journal = results(tmp_path), tmp_path / "runs.jsonl"
    journal.write_bytes(journal.read_bytes()[:-lost])
    assert carry_out(plan(), tmp_path).begun[1] > 0
    assert results(tmp_path) == before
    assert all(json.loads(line) for line in journal.read_text().splitlines())


def test_a_journal_of_other_code_is_refused_and_left_alone(tmp_path):
    carry_out(plan(), tmp_path)
    journal = tmp_path / "runs.jsonl"
    other = journal.read_text().replace(header(0)["code"], "another")
    journal.write_text(other)
    with pytest.raises(BadInput, match="was made with code another"):
        carry_out(plan(), tmp_path)
    assert journal.read_text() == other


def test_a_journal_of_another_seed_is_refused(tmp_path):
    carry_out(plan(), tmp_path)
    with pytest.raises(BadInput, match="made with seed 0, not 1"):
        carry_out(plan(seed=1), tmp_path)


def test_a_journal_of_other_data_is_refused(tmp_path):
    carry_out(plan(), tmp_path)
    with pytest.raises(BadInput, match=r"tiny with random run on other data"):
        carry_out(plan(panel(crowd="malicious")), tmp_path)


@pytest.mark.parametrize("text", ["hello\n", "[1]\n", '{"panel": 1}\n'])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path, text):
    (tmp_path / "runs.jsonl").write_text(text)
    with pytest.raises(BadInput, match=r"line 1: this is no journal"):
        carry_out(plan(), tmp_path)
    assert (tmp_path / "runs.jsonl").read_text() == text


def test_a_broken_line_within_the_journal_is_named(tmp_path):
    carry_out(plan(), tmp_path)
    journal = tmp_path / "runs.jsonl"
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join([*lines[:3], "{", *lines[4:], ""]))
    with pytest.raises(BadInput, match=r"runs\.jsonl, line 4: this is no trial"):
        carry_out(plan(), tmp_path)


def test_two_processes_do_not_write_one_journal(tmp_path):
    with (
        Journal(tmp_path / "runs.jsonl", header(0)),
        pytest.raises(BadInput, match="being written by another process"),
        Journal(tmp_path / "runs.jsonl", header(0)),
    ):
        pass


def test_floats_come_back_from_the_journal_to_the_last_bit(tmp_path):
    parcel = Parcel(panel(), 0, tuple((policy, "x") for policy in POLICIES), 0, (), header(0)["code"])
    trials = work(parcel)
    with Journal(tmp_path / "runs.jsonl", header(0)) as journal:
        journal.add(trials)
    with Journal(tmp_path / "runs.jsonl", header(0)) as journal:
        back = [journal.finished[trial.key] for trial in trials]
    assert repr(tidy([panel()], back)) == repr(tidy([panel()], trials))


def test_processes_give_the_same_results_as_one(tmp_path):
    carry_out(plan(runs=3), tmp_path / "one")
    carry_out(plan(runs=3), tmp_path / "two", jobs=2)
    assert results(tmp_path / "one") == results(tmp_path / "two")


BEHIND = """
import sys
from pathlib import Path
from tests.test_reproduction import carry_out, panel, plan
if __name__ == "__main__":
    carry_out(plan(*(panel(f"tiny {number}") for number in range(40)), runs=3), Path(sys.argv[1]))
"""


def test_killed_at_any_moment_it_goes_on_to_the_same_results(tmp_path):
    many = plan(*(panel(f"tiny {number}") for number in range(40)), runs=3)
    carry_out(many, tmp_path / "whole")
    for kept in (1, 100, 300):
        _kill_when(tmp_path / "killed", kept)
    with Journal(tmp_path / "killed" / "runs.jsonl", header(0)) as journal:
        done = len(journal.finished)
    assert carry_out(many, tmp_path / "killed").begun == (done, 480 - done)
    assert done < 480
    assert results(tmp_path / "killed") == results(tmp_path / "whole")


def _kill_when(out, lines):
    """Run until the journal has so many lines, then kill at once."""
    root = Path(__file__).resolve().parent.parent
    running = subprocess.Popen([sys.executable, "-c", BEHIND, str(out)], cwd=root)
    journal, deadline = out / "runs.jsonl", time.monotonic() + 120
    while running.poll() is None and time.monotonic() < deadline:
        if journal.exists() and journal.read_bytes().count(b"\n") > lines:
            break
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()


def whoever_works(_):
    time.sleep(0.3)
    return os.getpid()


ABANDONED = """
import os, signal
from labelbandit.experiments.crew import share_out
from tests.test_reproduction import whoever_works
if __name__ == "__main__":
    print(next(share_out(whoever_works, list(range(1000)), 2)), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_end_with_the_one_that_gave_them_work():
    root = Path(__file__).resolve().parent.parent
    with subprocess.Popen([sys.executable, "-c", ABANDONED], cwd=root, stdout=subprocess.PIPE, text=True) as running:
        worker = int(running.stdout.readline())
    deadline = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{worker}").exists()


def take_a_life(number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_process_is_told_in_a_sentence_that_says_how_to_go_on():
    with pytest.raises(ChildProcessError, match=r"a process was killed.* give the command again"):
        list(share_out(take_a_life, [0, 1, 2], 2))


def test_an_unknown_scheduler_is_refused(tmp_path):
    pytest.importorskip("distributed", reason="not run: distributed is not installed")
    with pytest.raises(BadInput, match="no Dask scheduler answers at 'nonsense'"):
        list(share_out(work, [], 1, "nonsense"))


def test_only_what_was_asked_for_is_planned():
    made = experiment.make_plan(experiment.Request(figures="c", runs=1))
    assert len(made.panels) == 9
    assert {policy for each in made.panels for policy in each.policies} == {
        "bbta",
        "bbta:explore=0",
        "bbta:explore=5",
        "bbta:explore=10",
    }


def test_without_data_the_recorded_panels_are_left_out_and_it_is_said():
    made = experiment.make_plan(experiment.Request(figures="d", runs=1))
    assert {each.kind for each in made.panels} == {"synthetic"}
    assert made.left_out == ("panels of recorded data (rte, four_domains) are left out: no data folder is given (--data)",)


def test_a_quick_run_goes_on_in_a_full_one():
    quick = experiment.make_plan(experiment.Request(figures="b", runs=3, quick=True))
    full = experiment.make_plan(experiment.Request(figures="b", runs=30))
    keys = {key for _, key in full.trials()}
    assert all(key in keys for _, key in quick.trials())
    assert [each.fingerprint() for each in quick.panels] == [each.fingerprint() for each in full.panels]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["x"], "there is no figure 'x': choose among a (accuracy"),
        (["e", "--runs=0"], "0 runs will not do: give a whole number of at least 1"),
        (["e", "--also=luck"], "unknown policy 'luck'"),
        (["e", "--load=nowhere.py"], "there is no file nowhere.py to load"),
        (["e", "--data=nowhere"], "nowhere is no folder"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_written(tmp_path, capsys, arguments, sentence):
    assert main(["reproduce", *arguments, f"--out={tmp_path / 'out'}"]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


BAD = {
    "an unknown label": ("labels.csv", "t1,ann,cat\nt1,bob,dgo\nt2,ann,dog\n", "line 3: label 'dgo' is unknown"),
    "a duplicate pair": ("labels.csv", "t1,ann,cat\nt1,ann,cat\nt2,ann,dog\n", "line 3: worker 'ann' labelled task 't1'"),
    "a task without truth": ("labels.csv", "t1,ann,cat\nt2,ann,dog\nt3,ann,cat\n", "line 4: task 't3' has no truth"),
    "a missing column": ("truth.csv", None, "line 1: there is no column 'truth'"),
    "an empty file": ("truth.csv", b"", "truth.csv is empty"),
    "a wrong encoding": ("truth.csv", "task,truth\nt1,cat\nt2,dög\n".encode("latin-1"), "line 3: this is not UTF-8"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_data_file_is_named_with_its_line_and_nothing_is_written(tmp_path, capsys, what):
    file, content, sentence = BAD[what]
    folder = tmp_path / "data" / "rte"
    folder.mkdir(parents=True)
    (folder / "labels.csv").write_text("task,worker,label\nt1,ann,cat\nt2,ann,dog\n")
    (folder / "truth.csv").write_text("task,truth\nt1,cat\nt2,dog\n")
    if content is None:
        content = b"task,trooth\nt1,cat\n"
    elif isinstance(content, str):
        content = f"task,worker,label\n{content}".encode()
    (folder / file).write_bytes(content)
    assert main(["reproduce", "d", f"--data={tmp_path / 'data'}", f"--out={tmp_path / 'out'}"]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert file in told
    assert not (tmp_path / "out").exists()


def test_the_command_leaves_the_files_it_promises(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(experiment, "make_plan", lambda request: replace(plan(runs=1), request=request))
    monkeypatch.delenv("LABELBANDIT_DATA", raising=False)
    assert main(["reproduce", "c", "--runs=1", "--jobs=1", f"--out={tmp_path}"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("The report is ")
    assert "4 trials to run" in told.err
    files = {"runs.jsonl", "results.parquet", "results.csv", "panels.json", "regret.json", "meta.json"}
    assert files <= {file.name for file in tmp_path.iterdir()}
    meta = json.loads((tmp_path / "meta.json").read_text())
    assert (meta["runs"], meta["seed"], meta["trials"]) == (1, 0, 4)


def test_panels_say_what_a_reader_should_know():
    facts = panel().facts(seed=0)
    assert (facts["tasks"], facts["workers"], facts["contexts"]) == (20, 6, 2)
    assert facts["context_sizes"] == [10, 10]
    assert len(facts["worker_accuracy"]) == 2
    assert json.dumps(facts, allow_nan=False)


def test_a_trial_is_named_by_panel_policy_and_run():
    (_, first), *_ = plan().trials()
    assert first == Key("tiny", "random", 0)
