"""Group similar tasks: k-means over numbers if the tasks are numbers, else over the words they use."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelbandit.model.errors import BadInput
from labelbandit.simulation.contexts import cluster

_WORDS = 5_000
_TOPICS = 50
_SEED = 0


def group(payloads: Sequence[Mapping[str, Any]], groups: int) -> list[str]:
    """A context for each task, named after what is typical of it."""
    if groups >= len(payloads):
        raise BadInput(f"{len(payloads)} tasks cannot make {groups} groups: ask for fewer")
    numbers = _numbers(payloads)
    if numbers is not None:
        return [f"group {number + 1}" for number in cluster(numbers, groups).tolist()]
    return _by_words([" ".join(str(value) for value in payload.values()) for payload in payloads], groups)


def _numbers(payloads: Sequence[Mapping[str, Any]]) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    try:
        rows = np.array([[float(value) for value in payload.values()] for payload in payloads])
    except (TypeError, ValueError):
        return None
    return rows if rows.ndim == 2 and rows.shape[1] and np.isfinite(rows).all() and np.ptp(rows) > 0 else None


def _by_words(texts: Sequence[str], groups: int) -> list[str]:
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from threadpoolctl import threadpool_limits

    vectors = TfidfVectorizer(max_features=_WORDS, sublinear_tf=True, max_df=0.5 if len(texts) > 20 else 1.0)
    try:
        words = vectors.fit_transform(texts)
    except ValueError:
        raise BadInput("the tasks have no words in common to group them by: give a context column instead") from None
    topics = min(_TOPICS, words.shape[1] - 1, words.shape[0] - 1)
    points = TruncatedSVD(topics, random_state=_SEED).fit_transform(words) if topics > 1 else words.toarray()
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    with threadpool_limits(1):
        found = KMeans(groups, n_init=4, random_state=_SEED).fit_predict(points / np.maximum(lengths, 1e-12))
    names = _names(words, found, vectors.get_feature_names_out())
    return [names[number] for number in found.tolist()]


def _names(words: Any, found: np.ndarray[Any, np.dtype[np.int64]], vocabulary: Sequence[str]) -> list[str]:
    """Two words that are more frequent in the group than elsewhere."""
    overall = np.asarray(words.mean(axis=0)).ravel()
    names = []
    for number in range(int(found.max()) + 1):
        typical = np.asarray(words[found == number].mean(axis=0)).ravel() - overall
        names.append(" · ".join(vocabulary[at] for at in typical.argsort()[::-1][:2]))
    repeated = Counter(names)
    return [name if repeated[name] == 1 else f"{name} ({at + 1})" for at, name in enumerate(names)]
