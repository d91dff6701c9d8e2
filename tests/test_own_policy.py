"""A policy of a user's own, as the documents show it: named, compared, and kept apart from changed code."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from labelbandit.cli import main
from labelbandit.experiments import own
from labelbandit.experiments.grounds import MadeUp
from labelbandit.experiments.panels import Panel
from labelbandit.experiments.reproduce import Plan, Request
from labelbandit.model.errors import BadInput
from labelbandit.policies.registry import policy_from, register
from tests.test_reproduction import carry_out, results

PAGE = Path(__file__).resolve().parent.parent / "docs" / "own-policy.md"


SHOWN = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def fewest(tmp_path):
    """The file with a rule of its own that the documents show."""
    file = tmp_path / "fewest.py"
    file.write_text(SHOWN[1])
    return file


def test_ten_lines_make_a_policy_that_is_compared(tmp_path, capsys):
    file = tmp_path / "eager.py"
    file.write_text(SHOWN[0])
    assert len([line for line in SHOWN[0].splitlines() if line.strip()]) <= 10
    asked = ["--policy", "eager", "--policy", "bbta", "--tasks", "30", "--runs", "1", "--budget", "2", "--format", "json"]
    assert main(["simulate", "--load", str(file), *asked]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["policies"]] == ["eager", "bbta"]


def plan_with(file, runs=1):
    ground = MadeUp("one-coin", tasks=20, workers=6, contexts=2)
    panel = Panel(name="tiny", title="tiny", kind="synthetic", ground=ground, budget=3.0, policies=("random", "fewest"))
    return Plan(Request(figures="", runs=runs, also=("fewest",), load=(str(file),)), (panel,), ())


def test_a_policy_of_ones_own_is_compared_with_random_in_other_processes(fewest, capsys):
    asked = ["--policy=fewest", "--policy=random", "--tasks=30", "--workers=6", "--budget=3", "--runs=2", "--jobs=2"]
    assert main(["simulate", f"--load={fewest}", *asked, "--format=json"]) == 0
    own_policy, random = json.loads(capsys.readouterr().out)["policies"]
    assert (own_policy["name"], random["name"]) == ("fewest", "random")
    assert own_policy["labels_used"] == 90


def test_a_process_that_does_not_know_the_policy_can_still_read_the_kernels_on_disk(fewest):
    simulate = [sys.executable, "-m", "labelbandit", "simulate", "--tasks=9", "--runs=1", "--budget=1"]
    for policy in (["--policy=fewest", f"--load={fewest}"], ["--policy=random"]):
        done = subprocess.run([*simulate, *policy], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_changed_file_is_not_mixed_with_what_it_gave_before(fewest, tmp_path):
    own.load_all([str(fewest)])
    carry_out(plan_with(fewest), tmp_path / "out")
    before = results(tmp_path / "out")
    carry_out(plan_with(fewest), tmp_path / "out")
    assert results(tmp_path / "out") == before
    fewest.write_text(fewest.read_text() + "\n# changed\n")
    with pytest.raises(BadInput, match="tiny with fewest run on other data or by other code"):
        carry_out(plan_with(fewest), tmp_path / "out")


def test_names_of_ours_cannot_be_taken():
    @dataclass(frozen=True)
    class Impostor:
        name: ClassVar[str] = "bbta"

    with pytest.raises(BadInput, match="a policy 'bbta' comes with labelbandit"):
        register(Impostor)


@pytest.mark.parametrize("nothing", [int, type("Nameless", (), {})])
def test_what_is_no_policy_is_refused(nothing):
    with pytest.raises(BadInput, match="is no policy: give a dataclass with a name"):
        register(nothing)


def test_a_file_that_fails_is_named(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0\n")
    with pytest.raises(BadInput, match=r"broken\.py cannot be loaded: ZeroDivisionError"):
        own.load_all([str(broken)])


def test_a_module_can_be_loaded_by_its_name():
    own.load_all(["json"])
    with pytest.raises(BadInput, match="no_such_module cannot be loaded: ModuleNotFoundError"):
        own.load_all(["no_such_module"])


def test_parameters_are_read_from_the_name():
    @register
    @dataclass(frozen=True)
    class Choosy:
        name: ClassVar[str] = "choosy"
        least: int = 1

    assert policy_from("choosy:least=3").least == 3
