"""Comparisons of policies, and their figures."""

from dataclasses import replace

import numpy as np
import pytest

from labelbandit.experiments import figures
from labelbandit.experiments.compare import Comparison, compare, paying_jobs
from labelbandit.model.chance import run_seed
from labelbandit.model.errors import BadInput, LabelbanditError, UnknownCrowd, UnknownPolicy
from labelbandit.policies.registry import policy_from
from labelbandit.simulation.crowds import crowd_from
from labelbandit.simulation.run import simulate
from labelbandit.simulation.troubles import troubles_from
from labelbandit.simulation.world import make_world

SMALL = Comparison(tasks=12, workers=4, contexts=2, classes=2, crowd="one-coin:good=0.8", budget=3, runs=4, seed=7)
BOTH = ("bbta:explore=1", "random")


def curves(policy, comparison):
    worlds = [
        make_world(
            crowd_from(comparison.crowd),
            comparison.tasks,
            comparison.workers,
            comparison.contexts,
            comparison.classes,
            run_seed(comparison.seed, run),
        )
        for run in range(comparison.runs)
    ]
    return np.array([simulate(policy_from(policy), world, comparison.budget).accuracy for world in worlds])


def numbers(results):
    return [(result.name, result.accuracy_mean.tolist(), result.accuracy_se.tolist(), result.labels_used) for result in results]


@pytest.mark.parametrize("policy", BOTH)
def test_mean_and_standard_error_are_those_of_the_runs(policy):
    (result,) = compare(SMALL, [policy], jobs=1)
    accuracy = curves(policy, SMALL)
    assert np.allclose(result.accuracy_mean, accuracy.mean(axis=0), rtol=0, atol=1e-12)
    assert np.allclose(result.accuracy_se, accuracy.std(axis=0, ddof=1) / 2, rtol=0, atol=1e-12)
    assert result.accuracy_se.max() > 0


def test_every_run_has_the_same_troubles():
    troubled = replace(SMALL, troubles=("late:by=3", "drift:at=1"))
    (result,), (untroubled,) = compare(troubled, ["bbta"], jobs=1), compare(SMALL, ["bbta"], jobs=1)
    worlds = [troubled.world(run) for run in range(4)]
    wanted = [simulate("bbta", world, 3, troubles_from(troubled.troubles, world)).accuracy for world in worlds]
    assert result.accuracy_mean.tolist() == np.mean(wanted, axis=0).tolist()
    assert result.accuracy_mean.tolist() != untroubled.accuracy_mean.tolist()


def test_a_single_run_has_no_standard_error():
    (result,) = compare(replace(SMALL, runs=1), ["random"], jobs=1)
    assert result.accuracy_se.tolist() == [0.0, 0.0, 0.0]


def test_results_come_in_the_order_of_the_policies():
    assert [result.name for result in compare(SMALL, BOTH, jobs=1)] == list(BOTH)
    assert [result.name for result in compare(SMALL, BOTH[::-1], jobs=1)] == list(BOTH[::-1])


def test_a_policy_does_not_depend_on_what_it_is_compared_with():
    alone, (_, beside) = compare(SMALL, ["random"], jobs=1), compare(SMALL, BOTH, jobs=1)
    assert numbers(alone) == numbers([beside])


def test_two_processes_give_the_numbers_of_one():
    assert numbers(compare(SMALL, BOTH, jobs=2)) == numbers(compare(SMALL, BOTH, jobs=1))


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    once = numbers(compare(SMALL, BOTH, jobs=1))
    assert numbers(compare(SMALL, BOTH, jobs=1)) == once
    assert numbers(compare(replace(SMALL, seed=8), BOTH, jobs=1)) != once


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_moves_once_a_run(jobs):
    moves = []
    compare(SMALL, BOTH, jobs, on_run=lambda: moves.append(1))
    assert len(moves) == SMALL.runs


def test_a_result_spells_its_policy_with_all_parameters():
    (result,) = compare(replace(SMALL, runs=1), ["default"], jobs=1)
    assert result.name == "default"
    assert policy_from(result.policy) == policy_from("default")
    assert all(f"{key}=" in result.policy for key in result.parameters)


def test_a_fractional_budget_ends_at_the_fraction():
    (result,) = compare(replace(SMALL, budget=2.5), ["random"], jobs=1)
    assert result.budget.tolist() == [1.0, 2.0, 2.5]
    assert result.labels_used == 30


@pytest.mark.parametrize("policy", BOTH)
def test_labels_that_run_out_before_the_budget_are_said(policy):
    (result,) = compare(replace(SMALL, budget=6), [policy], jobs=1)
    assert result.labels_used == 12 * 4
    assert result.accuracy_mean[3] == result.accuracy_mean[-1]
    assert result.notes == ("nothing was left to ask after 48 labels: the budget of 72 was not spent",)


def test_a_note_that_all_runs_share_is_given_once():
    (result,) = compare(replace(SMALL, budget=1), ["bbta:explore=5"], jobs=1)
    assert len(result.notes) == 1
    assert "explore=5" in result.notes[0]


def test_short_work_stays_in_one_process():
    assert paying_jobs(SMALL, BOTH) == 1


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"runs": 0}, BadInput, "0 runs"),
        ({"tasks": 0}, BadInput, "0 tasks"),
        ({"workers": 0}, BadInput, "0 workers"),
        ({"contexts": 13}, BadInput, "13 contexts"),
        ({"classes": 1}, BadInput, "1 classes"),
        ({"crowd": "mob"}, UnknownCrowd, "'mob'"),
        ({"crowd": "malicious", "contexts": 1}, BadInput, "2 contexts"),
        ({"budget": 0}, BadInput, "budget of 0"),
        ({"budget": -2}, BadInput, "budget of -2"),
        ({"budget": float("nan")}, BadInput, "budget of nan"),
        ({"budget": float("inf")}, BadInput, "budget of inf"),
        ({"budget": 1e12}, BadInput, "budget of 1e\\+12"),
        ({"seed": -1}, BadInput, "seed -1"),
    ],
)
def test_what_cannot_be_simulated_is_refused_before_any_run(change, error, named):
    moves = []
    with pytest.raises(error, match=named):
        compare(replace(SMALL, **change), BOTH, jobs=1, on_run=lambda: moves.append(1))
    assert moves == []


def test_a_bad_policy_is_refused_before_the_good_one_runs():
    moves = []
    with pytest.raises(UnknownPolicy, match="'luck'"):
        compare(SMALL, ["random", "luck"], jobs=1, on_run=lambda: moves.append(1))
    assert moves == []


def test_no_policy_at_all_is_refused():
    with pytest.raises(BadInput, match="at least one"):
        compare(SMALL, [], jobs=1)


def test_no_process_at_all_is_refused():
    with pytest.raises(BadInput, match="0 jobs"):
        compare(SMALL, BOTH, jobs=0)


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PNG", b"\x89PNG")])
def test_a_figure_is_written_in_the_format_of_its_ending(tmp_path, ending, start):
    path = tmp_path / f"figure.{ending}"
    figures.accuracy_figure(compare(SMALL, BOTH, jobs=1), "A title", path)
    assert path.read_bytes().startswith(start)


def test_the_same_results_make_the_same_file(tmp_path):
    results = compare(SMALL, BOTH, jobs=1)
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    for path in (one, two):
        figures.accuracy_figure(results, "A title", path)
    assert one.read_bytes() == two.read_bytes()


def test_without_matplotlib_a_figure_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    with pytest.raises(LabelbanditError, match=r"install labelbandit\[figures\]"):
        figures.check_path(tmp_path / "figure.png")


def test_more_curves_than_colours_still_look_different():
    looks = {figures.look(index) for index in range(2 * len(figures.COLOURS))}
    assert len(looks) == 2 * len(figures.COLOURS)


def test_names_of_curves_that_end_together_are_spread_apart_in_their_order():
    heights = figures.spread_apart(np.array([99.0, 99.2, 60.0]), gap=2.0, low=50.0)
    assert np.allclose(heights, [97.2, 99.2, 60.0])


def test_names_of_curves_that_end_at_the_bottom_are_pushed_up():
    heights = figures.spread_apart(np.array([50.0, 50.0, 50.0]), gap=2.0, low=50.0)
    assert heights.tolist() == [54.0, 52.0, 50.0]
