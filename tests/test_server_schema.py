"""The API against its own document: generated requests, valid and not, get declared answers and never a fault of ours."""

import os

import pytest
from hypothesis import given, settings

from tests.servers import API, make_campaign, make_server

schemathesis = pytest.importorskip("schemathesis", reason="not run: schemathesis is not installed")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")  # a class that the campaign lacks is refused all the same

SERVER = make_server(rate=1e9, burst=1e9, sign_ins=1e9)
BIRDS = make_campaign(SERVER)
schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", SERVER.app)
STREAMS = f"{API}/campaigns/{{campaign}}/events"
EXAMPLES = int(os.environ.get("LABELBANDIT_EXAMPLES", "5"))

OPERATIONS = [found.ok() for found in schema.exclude(path=STREAMS).get_all_operations()]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: f"{operation.method} {operation.path}")
def test_every_answer_is_as_the_document_says(operation):
    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES)
    def check(case):
        worker = case.path.startswith(f"{API}/work")
        token = BIRDS.links[0]["token"] if worker else SERVER.token
        if "campaign" in (case.path_parameters or {}):
            case.path_parameters["campaign"] = BIRDS.path.rpartition("/")[2]
        bearer = {"Authorization": f"Bearer {token}"}
        case.call_and_validate(headers=bearer, excluded_checks=[checks.positive_data_acceptance])

    check()
