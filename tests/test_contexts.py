"""The benchmark data of the paper, and contexts by k-means."""

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.model.errors import LabelbanditError
from labelbandit.simulation import contexts
from labelbandit.simulation.benchmarks import BENCHMARKS, read_benchmark
from labelbandit.simulation.contexts import benchmark_contexts, benchmark_world, census, cluster, standardised

SHAPES = {
    "ionosphere": ((351, 34), {"good": 225, "bad": 126}),
    "pima": ((768, 8), {"healthy": 500, "diabetic": 268}),
    "breast": ((569, 30), {"benign": 357, "malignant": 212}),
}
CASES = [("ionosphere", 3), ("breast", 4), ("pima", 5)]


@pytest.fixture
def _with_scikit_learn():
    pytest.importorskip("sklearn", reason="not run: scikit-learn is not installed")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_data_are_those_of_uci(name):
    data = read_benchmark(name)
    shape, counts = SHAPES[name]
    assert data.features.shape == shape
    assert np.isfinite(data.features).all()
    assert dict(zip(data.classes, np.bincount(data.truth), strict=True)) == counts


def test_an_unknown_benchmark_is_refused_with_those_known():
    with pytest.raises(lb.BadInput, match="'iris': choose one of ionosphere, breast, pima"):
        read_benchmark("iris")


def test_columns_are_standardised_and_constant_ones_dropped():
    features = standardised(read_benchmark("ionosphere").features)
    assert features.shape == (351, 33)
    assert features.mean(axis=0) == pytest.approx(np.zeros(33), abs=1e-12)
    assert features.std(axis=0) == pytest.approx(np.ones(33))


def test_one_context_needs_no_clustering():
    assert cluster(np.zeros((5, 2)), 1).tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("number", [0, 6])
def test_contexts_are_as_many_as_there_can_be(number):
    with pytest.raises(lb.BadInput, match=f"{number} contexts"):
        cluster(np.zeros((5, 2)), number)


def test_without_scikit_learn_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(contexts, "find_spec", lambda name: None)
    with pytest.raises(LabelbanditError, match=r"labelbandit\[experiments\]"):
        cluster(np.eye(5), 2)


@pytest.mark.usefixtures("_with_scikit_learn")
def test_groups_that_lie_apart_are_found_and_numbered_as_they_come():
    centres = np.array([[0.0, 9.0], [9.0, 0.0], [-9.0, -9.0]])
    group = np.array([2, 0, 1] * 20)
    points = centres[group] + np.random.default_rng(0).standard_normal((60, 2))
    assert cluster(points, 3).tolist() == [0, 1, 2] * 20


@pytest.mark.usefixtures("_with_scikit_learn")
@pytest.mark.parametrize(("name", "number"), CASES)
def test_contexts_of_a_benchmark_repeat_and_are_nearly_pure(name, number):
    data = read_benchmark(name)
    context = cluster(data.features, number)
    assert (context == benchmark_contexts(name, number)).all()
    counted = census(context, data.truth)
    assert counted.sizes.tolist() == np.bincount(context, minlength=number).tolist()
    assert counted.shares.sum(axis=1) == pytest.approx(np.ones(number))
    assert (counted.sizes @ counted.shares).round().tolist() == np.bincount(data.truth).tolist()
    assert {"ionosphere": 0.75, "breast": 0.85, "pima": 0.66}[name] < counted.purity < 0.95


@pytest.mark.usefixtures("_with_scikit_learn")
@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_benchmark_world_has_the_data_of_the_benchmark_and_a_crowd(name, number):
    first, second = (benchmark_world(name, "malicious", 30, number, seed) for seed in (1, 2))
    assert (first.truth == read_benchmark(name).truth).all()
    assert (first.context == second.context).all()
    assert first.accuracy.shape == (number, 30)
    assert not np.array_equal(first.accuracy, second.accuracy)
    curve = lb.simulate("bbta", first, 3)
    assert curve.labels == 3 * first.tasks


@pytest.mark.usefixtures("_with_scikit_learn")
def test_benchmark_worlds_with_one_crowd_seed_share_their_crowd():
    first, second = (benchmark_world("pima", "malicious", 9, 3, seed, crowd_seed=5) for seed in (1, 2))
    assert np.array_equal(first.accuracy, second.accuracy)
    with pytest.raises(lb.BadInput, match="0 workers"):
        benchmark_world("pima", "malicious", 0, 3, 1)
