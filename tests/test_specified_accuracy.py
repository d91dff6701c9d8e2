"""Mean accuracies against an independent implementation's, in a reduced form of what `make prove LINE=2.3` measures."""

import numpy as np
import pytest

from labelbandit.experiments.compare import Comparison, compare
from tests.proofs_engine import CROWDS, SPECIFIED


@pytest.mark.parametrize("crowd", CROWDS)
def test_accuracy_at_5_and_15_labels_per_task_is_as_specified(crowd):
    comparison = Comparison(tasks=351, workers=30, contexts=3, classes=2, crowd=crowd, budget=15, runs=20, seed=1)
    for result in compare(comparison, list(SPECIFIED), jobs=1):
        row = SPECIFIED[result.name][CROWDS.index(crowd)]
        for budget, (mean, error) in ((5, row[:2]), (15, row[2:])):
            allowed = 3 * np.hypot(100 * result.accuracy_se[budget - 1], error) + 0.3
            assert 100 * result.accuracy_mean[budget - 1] == pytest.approx(mean, abs=allowed), (result.name, budget)
