"""Data sets in the common format: what is read, and how what is wrong is named."""

import numpy as np
import pytest

from labelbandit.model.errors import BadData, BadInput, LabelbanditError
from labelbandit.simulation import tables
from labelbandit.simulation.datasets import find_dataset, read_dataset

LABELS = "task,worker,label\nt2,ann,yes\nt1,bob,no\nt2,bob,no\nt1,ann,yes\nt3,bob,yes\n"
TRUTH = "task,truth\nt1,no\nt2,yes\nt3,yes\n"
CONTEXTS = "task,context\nt3,sea\nt1,land\nt2,sea\n"
LONG = (
    "task,worker,label,truth,context\n"
    "t2,ann,yes,yes,sea\nt1,bob,no,no,land\nt2,bob,no,yes,sea\nt1,ann,yes,no,land\nt3,bob,yes,yes,sea\n"
)


def folder(tmp_path, labels=LABELS, truth=TRUTH, contexts=CONTEXTS, classes=None):
    home = tmp_path / "tiny"
    home.mkdir()
    files = {"labels.csv": labels, "truth.csv": truth, "contexts.csv": contexts, "classes.csv": classes}
    for name, text in files.items():
        if text is not None:
            (home / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return home


def facts(dataset):
    return (
        *(dataset.tasks, dataset.workers, dataset.classes, dataset.contexts),
        *(dataset.context.tolist(), dataset.truth.tolist()),
        *(dataset.pairs.start.tolist(), dataset.pairs.worker.tolist(), dataset.answers.tolist()),
    )


def test_everything_is_numbered_in_a_fixed_order(tmp_path):
    dataset = read_dataset(folder(tmp_path))
    assert dataset.name == "tiny"
    assert facts(dataset) == (
        *(("t2", "t1", "t3"), ("ann", "bob"), ("no", "yes"), ("land", "sea")),
        *([1, 0, 1], [1, 0, 1]),
        *([0, 2, 4, 5], [0, 1, 0, 1, 1], [1, 0, 1, 0, 1]),
    )


def test_one_long_file_says_the_same_as_a_folder(tmp_path):
    (tmp_path / "long.csv").write_text(LONG)
    assert facts(read_dataset(tmp_path / "long.csv")) == facts(read_dataset(folder(tmp_path)))


def test_without_contexts_all_tasks_are_of_one_kind(tmp_path):
    dataset = read_dataset(folder(tmp_path, contexts=None))
    assert dataset.contexts == ("all",)
    assert dataset.context.tolist() == [0, 0, 0]


def test_harmless_oddities_of_files_are_put_up_with(tmp_path):
    odd = '\ufeffworker,note,label,task\r\n\r\n ann ,x,yes,t2\r\nbob,,no,t1\r\nann,,yes,t1\r\nbob,"a\r\nb",yes,t3\r\n\r\n'
    assert facts(read_dataset(folder(tmp_path, labels=odd)))[:3] == (("t2", "t1", "t3"), ("ann", "bob"), ("no", "yes"))


def test_a_class_that_is_nobodys_truth_can_be_listed(tmp_path):
    dataset = read_dataset(folder(tmp_path, labels=LABELS + "t3,ann,maybe\n", classes="class\nmaybe\nyes\nno\n"))
    assert dataset.classes == ("maybe", "no", "yes")


BAD_FOLDERS = [
    ({"labels": LABELS + "t3,ann,perhaps\n"}, "labels.csv, line 7", "'perhaps'"),
    ({"labels": LABELS + "t2,ann,no\n"}, "labels.csv, line 7", "line 2"),
    ({"labels": LABELS + "t4,ann,no\n"}, "labels.csv, line 7", "'t4' has no truth"),
    ({"labels": LABELS + "t3,ann\n"}, "labels.csv, line 7", "2 cells"),
    ({"labels": LABELS + "t3,ann,no,no\n"}, "labels.csv, line 7", "4 cells"),
    ({"labels": LABELS + "t3, ,no\n"}, "labels.csv, line 7", "'worker' is empty"),
    ({"labels": LABELS + 't3,"ann,no\n'}, "labels.csv, line 7", "not CSV"),
    ({"labels": LABELS.replace("worker", "annotator")}, "labels.csv, line 1", "'worker'"),
    ({"labels": "task,worker,label,label\n"}, "labels.csv, line 1", "2 columns 'label'"),
    ({"labels": LABELS.encode() + b"t3,j\xf6rg,no\n"}, "labels.csv, line 7", "UTF-8"),
    ({"labels": LABELS.encode("utf-16")}, "labels.csv, line 1", "UTF-8"),
    ({"labels": b"\xef\xbb\xbf" + LABELS.encode() + b"\xff"}, "labels.csv, line 7", "UTF-8"),
    ({"labels": ""}, "labels.csv", "empty"),
    ({"labels": "\n\n"}, "labels.csv", "empty"),
    ({"labels": "task,worker,label\n"}, "labels.csv", "empty"),
    ({"labels": None}, "labels.csv", "missing"),
    ({"truth": None}, "truth.csv", "missing"),
    ({"truth": TRUTH + "t9,no\n"}, "truth.csv, line 5", "'t9'"),
    ({"truth": TRUTH + "t1,yes\n"}, "truth.csv, line 5", "line 2"),
    ({"truth": TRUTH + "t9,\n"}, "truth.csv, line 5", "'truth' is empty"),
    ({"contexts": CONTEXTS + "t9,sea\n"}, "contexts.csv, line 5", "'t9'"),
    ({"contexts": "task,context\nt1,land\nt2,sea\n"}, "truth.csv, line 4", "'t3' has no context"),
    ({"contexts": ""}, "contexts.csv", "empty"),
    ({"classes": "name\nyes\n"}, "classes.csv, line 1", "'class'"),
    ({"labels": LABELS.replace("no", "yes"), "truth": TRUTH.replace("no", "yes")}, "labels.csv", "1 classes"),
]


@pytest.mark.parametrize(("files", "where", "named"), BAD_FOLDERS, ids=lambda value: value if isinstance(value, str) else "")
def test_bad_files_are_named_with_file_and_line(tmp_path, files, where, named):
    with pytest.raises(BadData) as refused:
        read_dataset(folder(tmp_path, **files))
    sentence = str(refused.value)
    assert where in sentence
    assert named in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("text", "where", "named"),
    [
        (LONG + "t3,ann,yes,no,sea\n", "long.csv, line 7", "'no' here and 'yes' in line 6"),
        (LONG + "t3,ann,yes,yes,land\n", "long.csv, line 7", "context of task 't3'"),
        (LONG + "t3,bob,yes,yes,sea\n", "long.csv, line 7", "line 6"),
        (LONG + "t3,ann,yes,,sea\n", "long.csv, line 7", "'truth' is empty"),
        (LABELS, "long.csv, line 1", "'truth'"),
    ],
)
def test_a_bad_long_file_is_named_with_its_line(tmp_path, text, where, named):
    (tmp_path / "long.csv").write_text(text)
    with pytest.raises(BadData) as refused:
        read_dataset(tmp_path / "long.csv")
    assert where in str(refused.value)
    assert named in str(refused.value)


def test_data_sets_are_found_by_name_where_the_variable_says(tmp_path, monkeypatch):
    home = folder(tmp_path)
    (tmp_path / "long.csv").write_text(LONG)
    monkeypatch.setenv("LABELBANDIT_DATA", str(tmp_path))
    assert find_dataset("tiny") == home
    assert find_dataset("long") == tmp_path / "long.csv"
    with pytest.raises(BadInput, match=r"no data set 'large' .*: it has long, tiny"):
        find_dataset("large")


def test_a_folder_given_goes_before_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELBANDIT_DATA", str(tmp_path / "elsewhere"))
    assert find_dataset("tiny", folder(tmp_path).parent) == tmp_path / "tiny"
    with pytest.raises(BadInput, match="elsewhere is no folder"):
        find_dataset("tiny")


def test_without_a_folder_of_data_sets_a_sentence_says_what_to_set(monkeypatch):
    monkeypatch.delenv("LABELBANDIT_DATA", raising=False)
    with pytest.raises(BadInput, match="Set LABELBANDIT_DATA"):
        find_dataset("rte")


def test_a_path_is_taken_as_it_is(tmp_path, monkeypatch):
    monkeypatch.delenv("LABELBANDIT_DATA", raising=False)
    home = folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert find_dataset(str(home)) == home == find_dataset(home)
    assert find_dataset("./tiny").samefile(home)
    with pytest.raises(BadInput, match="no data set at"):
        find_dataset("./large")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "long.parquet").write_bytes(b"PAR1")
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(LabelbanditError, match="install pyarrow"):
        read_dataset(tmp_path / "long.parquet")


def test_parquet_says_the_same_as_csv(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="not run: pyarrow is not installed")
    from pyarrow import parquet

    header, *rows = [line.split(",") for line in LONG.splitlines()]
    columns = [list(column) for column in zip(*rows, strict=True)]
    (tmp_path / "long.csv").write_text(LONG)
    parquet.write_table(pyarrow.table(dict(zip(header, columns, strict=True))), tmp_path / "long.parquet")
    assert facts(read_dataset(tmp_path / "long.parquet")) == facts(read_dataset(tmp_path / "long.csv"))
    columns[2][4] = None
    parquet.write_table(pyarrow.table(dict(zip(header, columns, strict=True))), tmp_path / "long.parquet")
    with pytest.raises(BadData, match=r"long\.parquet, row 5: the cell of column 'label' is empty"):
        read_dataset(tmp_path / "long.parquet")
    (tmp_path / "long.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadData, match="cannot be read as Parquet"):
        read_dataset(tmp_path / "long.parquet")


def test_arrays_have_the_types_that_kernels_were_compiled_for(tmp_path):
    dataset = read_dataset(folder(tmp_path))
    arrays = (dataset.context, dataset.truth, dataset.pairs.start, dataset.pairs.worker, dataset.answers)
    assert [array.dtype for array in arrays] == [np.int64, np.int64, np.int64, np.int32, np.int16]
    assert all(array.flags.c_contiguous and array.flags.writeable for array in arrays)
