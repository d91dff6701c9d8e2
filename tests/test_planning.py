"""The planner: what a budget buys, and what a target costs."""

import json

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.cli import main
from labelbandit.experiments.planning import Hire, Prospect, forecast, marks_until, read_hires

SMALL = ["plan", "--tasks=40", "--workers=6", "--contexts=2", "--runs=3", "--jobs=1", "--policy=bbta", "--policy=random"]


def prospect(**more):
    given = {"tasks": 40, "contexts": 2, "classes": 2, "hires": (Hire(),) * 6, "crowd": "graded", "budget": 120}
    return Prospect(**given | more)


def test_a_larger_budget_buys_more_and_the_same_seed_the_same():
    small, large, again = (forecast(prospect(budget=budget), ["bbta"], runs=8, jobs=1)[0] for budget in (40, 240, 240))
    assert large.accuracy > small.accuracy
    assert large.low <= large.accuracy <= large.high
    assert (large.accuracy, large.curve.mean.tolist()) == (again.accuracy, again.curve.mean.tolist())


def test_the_money_for_a_target_is_where_the_mean_curve_meets_it():
    found = forecast(prospect(hires=(Hire(accuracy=0.9),) * 6), ["bbta"], target=0.95, runs=6, jobs=1)[0]
    assert 40 < found.needed < 240
    at = np.searchsorted(found.curve.money, found.needed)
    assert found.curve.mean[at] >= 0.95 > found.curve.mean[at - 2]
    assert found.needed_surely is None or found.needed_surely >= found.needed


def test_a_target_beyond_reach_is_said_to_be():
    assert forecast(prospect(hires=(Hire(accuracy=0.5),) * 3), ["random"], target=0.99, runs=3, jobs=1)[0].needed is None


def test_guesses_and_prices_are_those_of_the_worlds():
    hires = (Hire(3, 0.8), Hire(1, None), Hire(10, None, expert=True))
    world = prospect(hires=hires).world(7)
    assert world.price.tolist() == [3, 1, 10]
    assert world.expert.tolist() == [False, False, True]
    assert (np.abs(world.accuracy[:, 0] - 0.8) <= 0.1).all()
    assert (world.accuracy[:, 2] == 0.99).all()


def test_dear_workers_make_a_budget_buy_less():
    cheap, dear = (forecast(prospect(hires=(Hire(price),) * 6), ["random"], runs=6, jobs=1)[0] for price in (1, 3))
    assert dear.accuracy < cheap.accuracy


def test_marks_are_evenly_apart_and_end_where_the_money_does():
    assert marks_until(5).tolist() == [1, 2, 3, 4, 5] or marks_until(5)[-1] == 5
    assert marks_until(300).tolist() == list(range(10, 301, 10))


def test_workers_are_read_from_a_table(tmp_path):
    path = tmp_path / "workers.csv"
    path.write_text("worker,price,accuracy,expert\nann,2,0.9,no\nbob,1,?,no\neve,10,0.99,yes\n")
    assert read_hires(path) == (Hire(2, 0.9), Hire(1, None), Hire(10, 0.99, expert=True))


def test_the_command_says_what_to_expect(capsys):
    assert main([*SMALL, "--budget=120", "--target=0.8"]) == 0
    shown = capsys.readouterr().out
    assert "With a budget of 120, which is 3 for each task (3 runs):" in shown
    assert "money for 80 %" in shown


def test_the_command_prints_a_document_and_draws(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="not run: matplotlib is not installed")
    assert main([*SMALL, "--format=json", f"--plot={tmp_path / 'plan.png'}"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["budget"] == 200
    assert [each["policy"] for each in document["policies"]] == ["bbta", "random"]
    assert document["policies"][0]["curve"]["money"][-1] == 200
    assert (tmp_path / "plan.png").stat().st_size > 10_000


BAD_ROWS = [
    ("worker,price\nann,0\n", "line 2: '0' is no price"),
    ("worker,accuracy\nann,0.7\nbob,7\n", "line 3: '7' is no accuracy"),
    ("worker,expert\nann,perhaps\n", "line 2: 'perhaps'"),
    ("name\nann\n", "no column 'worker'"),
]


@pytest.mark.parametrize(("text", "named"), BAD_ROWS)
def test_a_bad_table_of_workers_is_refused_by_line(tmp_path, capsys, text, named):
    path = tmp_path / "workers.csv"
    path.write_text(text)
    assert main(["plan", "--tasks=10", f"--workers={path}"]) == 2
    assert named in capsys.readouterr().err


REFUSED = [
    (["--workers=0"], "0 workers"),
    (["--budget=0"], "budget of 0"),
    (["--target=1.5"], "target of 1.5"),
    (["--runs=1"], "1 runs"),
    (["--policy=nobody"], "'nobody'"),
    (["--crowd=honest"], "'honest'"),
    (["--contexts=99"], "99 contexts"),
    (["--plot=plan.txt"], "plan.txt"),
    (["--workers=nowhere.csv"], "nowhere.csv is missing"),
]


@pytest.mark.parametrize(("asked", "named"), REFUSED)
def test_a_plan_that_cannot_be_is_refused(asked, named, capsys):
    assert main(["plan", "--tasks=10", *asked]) == 2
    assert named in capsys.readouterr().err


def test_a_budget_below_the_cheapest_label_is_refused():
    with pytest.raises(lb.BadInput, match="the cheapest costs 5"):
        prospect(hires=(Hire(5),), budget=4)
