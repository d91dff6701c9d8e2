"""The kernels as plain Python: small worlds end as they do compiled, so coverage and debuggers can see inside."""

import json
import os
import subprocess
import sys

import pytest

import labelbandit as lb

SCRIPT = """
import json, sys
import labelbandit as lb
world = lb.make_world("malicious", 24, 5, 2, int(sys.argv[2]), seed=6)
print(json.dumps(lb.simulate(sys.argv[1], world, 4).accuracy.tolist()))
"""


@pytest.mark.parametrize(
    ("policy", "classes"),
    [
        ("random", 3),
        ("bbta", 3),
        ("bbta:explore=0,repeats=yes", 3),
        ("bbta:pick=random", 3),
        ("crosscheck", 2),
        ("crosscheck", 3),
        ("optkg", 2),
        ("optkg:workers=equal", 2),
        ("optkg-multi", 2),
    ],
)
def test_plain_python_and_compiled_code_agree(policy, classes):
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", SCRIPT, policy, str(classes)]
    plain = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    compiled = lb.simulate(policy, lb.make_world("malicious", 24, 5, 2, classes, seed=6), 4)
    assert json.loads(plain.stdout) == compiled.accuracy.tolist()
