"""The comparison: methods with other rules for final answers, calibration, paired comparisons, and the command."""

import json

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.cli import main
from labelbandit.experiments.calibration import coverage, credits_of, equal_mass, log_losses, reliability
from labelbandit.experiments.comparison.pairing import Pairing, pairings, with_holm
from labelbandit.experiments.comparison.standing import standings
from labelbandit.experiments.comparison.worlds import METHODS, choose_panels
from labelbandit.experiments.finals import check_method, story_of
from labelbandit.experiments.intervals import Interval
from labelbandit.model.chance import run_seed
from labelbandit.policies.student import beyond, critical_value
from labelbandit.simulation.run import budget_marks
from tests.fabricated import facts, fixed_rows, noise, results_of, rising

pytest.importorskip("pyarrow", reason="not run: pyarrow is not installed")


def beliefs_of(certainty):
    return np.array([[[p, 1.0 - p] for p in certainty]])


def test_a_rule_for_final_answers_changes_no_question():
    world = lb.make_world("one-coin", 40, 8, 2, 2, seed=3)
    plain, judged = (story_of(method, world, budget_marks(40, 4)) for method in ("random", "random+em"))
    assert [column.tolist() for column in plain.trace] == [column.tolist() for column in judged.trace]
    assert plain.beliefs.tolist() != judged.beliefs.tolist()


def test_the_majority_of_random_labels_is_what_random_believes():
    world = lb.make_world("one-coin", 40, 8, 2, 3, seed=3)
    plain, judged = (story_of(method, world, budget_marks(40, 4)) for method in ("random", "random+majority"))
    assert plain.curve.accuracy == pytest.approx(judged.curve.accuracy)


def test_em_beats_the_majority_where_workers_differ():
    worlds = [lb.make_world("spammer-hammer:deal=even", 150, 10, 2, 2, seed=run_seed(1000, run)) for run in range(4)]
    ends = {
        method: np.mean([story_of(method, world, budget_marks(150, 6)).curve.accuracy[-1] for world in worlds])
        for method in ("random", "random+em", "random+dawid-skene")
    }
    assert ends["random+em"] > ends["random"] + 0.03
    assert ends["random+dawid-skene"] > ends["random"] + 0.03


@pytest.mark.parametrize(("method", "named"), [("random+magic", "'magic'"), ("nobody+em", "'nobody'")])
def test_an_unknown_method_is_refused(method, named):
    with pytest.raises(lb.BadInput, match=named):
        check_method(method)


def test_log_loss_is_of_the_probability_of_the_truth():
    assert log_losses(beliefs_of([0.5, 0.25]), np.array([0, 1])).tolist() == pytest.approx([-(np.log(0.5) + np.log(0.75)) / 2])
    assert np.isfinite(log_losses(beliefs_of([0.0]), np.array([0]))).all()


def test_a_tied_answer_is_credited_its_chance():
    assert credits_of(beliefs_of([0.5, 0.9, 0.1]), np.array([0, 0, 0])).tolist() == [[0.5, 1.0, 0.0]]


@pytest.mark.parametrize(("truly", "error"), [(0.8, 0.0), (0.6, 0.2), (1.0, 0.2)])
def test_calibration_error_is_how_far_certainty_and_truth_are_apart(truly, error):
    certainty = np.full(1000, 0.8)
    truth = (np.arange(1000) >= 1000 * truly).astype(np.int64)
    table = reliability(beliefs_of(certainty), truth, np.array([2000]))
    bins = equal_mass([table, table], 2.0)
    assert bins.tasks.sum() == 2000
    assert bins.error == pytest.approx(error, abs=1e-9)


def test_bins_hold_equally_many_tasks_however_they_lie():
    drawn = np.random.default_rng(1)
    certainty = np.append(drawn.uniform(0.5, 1.0, 700), np.full(800, 1.0))
    truth = (drawn.uniform(size=1500) > certainty).astype(np.int64)
    bins = equal_mass([reliability(beliefs_of(certainty), truth, np.array([3000]))], 2.0)
    assert bins.tasks == pytest.approx(np.full(15, 100.0))
    assert (np.diff(bins.certainty) >= -1e-12).all()
    assert bins.error < 0.05


def test_only_the_budgets_looked_at_are_noted():
    assert reliability(beliefs_of([0.9]), np.array([0]), np.array([4])).size == 0
    assert equal_mass([np.zeros(0)], 2.0) is None


def test_coverage_tries_an_interval_on_every_run():
    beliefs = [beliefs_of([0.9] * 10)[0]] * 4
    truth = [np.array([1] * wrong + [0] * (10 - wrong)) for wrong in (0, 1, 2, 5)]
    found = coverage(beliefs, truth, lambda believed: (believed.max(axis=1).mean() - 0.15, 1.0))
    assert found.share == 0.75
    assert found.width == pytest.approx(0.25)


def test_p_values_and_critical_values_agree():
    for freedom in (1, 2, 9, 29, 400):
        assert beyond(critical_value(0.01, freedom), freedom) == pytest.approx(0.01, rel=1e-6)


def paired(p, value=-0.02, error=0.01, runs=30):
    return Pairing("panel", "one", "other", 2.0, Interval(value, value - error, value + error), p, runs)


def test_holm_widens_the_surest_most_and_stops_at_the_first_that_fails():
    found = with_holm([paired(0.04), paired(0.001), paired(0.03)])
    reach = [each.difference.high - each.difference.value for each in found]
    assert reach[1] == pytest.approx(0.01 * critical_value(0.05 / 3, 29))
    assert reach[2] == reach[0] == pytest.approx(0.01 * critical_value(0.05 / 2, 29))


def test_an_exception_is_surely_worse_and_by_a_point():
    surely, little = with_holm([paired(1e-9, value=-0.05)])[0], with_holm([paired(1e-9, value=-0.005, error=0.0005)])[0]
    unsure = with_holm([paired(0.5, value=-0.05, error=0.1)])[0]
    assert [surely.exception, little.exception, unsure.exception] == [True, False, False]


def test_methods_are_paired_run_by_run_at_the_budgets_both_have():
    rows = fixed_rows("here", "crosscheck", rising(0.9)) + fixed_rows("here", "bbta", rising(0.8))
    found = pairings(results_of(rows, [facts("here")]), "crosscheck", ["bbta", "absent"])
    assert [each.budget for each in found] == [2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 15.0]
    assert all(each.difference.value == pytest.approx(0.1) and each.better for each in found)


def test_a_standing_names_labels_to_targets_and_the_worst_run():
    accuracy = np.array([[0.5, 0.8, 0.96], [0.5, 1.0, 1.0]])
    rows = fixed_rows("here", "bbta", accuracy, marks=np.array([1.0, 2.0, 3.0]))
    (found,) = standings(results_of(rows, [facts("here")]))
    assert found.labels_to[0] == pytest.approx(2.0)
    assert found.labels_to[1] == pytest.approx(2.625)
    assert (found.worst, found.end, found.majority_class) == (0.96, 3.0, 0.6)


def test_optkg_is_left_out_where_there_are_more_classes():
    four, drift = choose_panels(["four-classes/one-coin", "drift/malicious"], METHODS, None)[::-1]
    assert "optkg-multi" not in four.policies
    assert "optkg-multi" in drift.policies
    assert drift.troubles == ("drift",)


def test_the_command_compares_and_reports_and_goes_on(tmp_path, capsys):
    asked = ["compare", "--panels=few-tasks/alike", "--policy=bbta", "--policy=random", "--policy=random+em", "--runs=2"]
    assert main([*asked, "--jobs=1", f"--out={tmp_path}"]) == 0
    assert "report.html" in capsys.readouterr().out
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert {each["method"] for each in summary["standings"]} == {"bbta", "random", "random+em"}
    assert len(summary["comparisons"]) == 14
    page = (tmp_path / "report.html").read_text()
    assert "Exceptions" in page
    assert "Holm" in page
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {
        "accuracy-generated",
        "labels-to-reach",
        "reliability-generated",
    }
    assert main([*asked, "--jobs=1", f"--out={tmp_path}"]) == 0
    assert "0 trials to run, 6 are done already" in capsys.readouterr().err


REFUSED = [
    (["--panels=nowhere"], "'nowhere'"),
    (["--policy=nobody"], "'nobody'"),
    (["--policy=iethresh"], "iethresh spends is an outcome"),
    (["--runs=0"], "0"),
    (["--panels=recorded"], "no data folder"),
    (["--data=nowhere"], "nowhere is no folder"),
]


@pytest.mark.parametrize(("asked", "named"), REFUSED)
def test_a_comparison_that_cannot_be_run_is_refused_and_nothing_is_written(asked, named, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("LABELBANDIT_DATA", raising=False)
    assert main(["compare", *asked, f"--out={tmp_path / 'out'}"]) == 2
    assert named in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_noise_alone_is_no_exception():
    rows = fixed_rows("here", "crosscheck", 0.9 + noise(30, seed=1)[:, None] + np.zeros((30, 15)))
    rows += fixed_rows("here", "bbta", 0.9 + noise(30, seed=2)[:, None] + np.zeros((30, 15)))
    assert not any(each.exception for each in pairings(results_of(rows, [facts("here")]), "crosscheck", ["bbta"]))
