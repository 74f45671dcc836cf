"""Requests made from the app's own OpenAPI description, right ones and wrong ones: never an error of the server."""

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="the web app needs starlette")

from unconfuse.serve.openapi import openapi

OPERATIONS = sorted((path, method) for path, own in openapi()["paths"].items() for method in own)
FEW = settings(
    max_examples=6, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def token(server):
    """For a program that writes."""
    return server.token("add", "fuzz")


def test_the_description_is_openapi():
    described = openapi()
    assert described["openapi"] == "3.1.0" and described["security"]
    for path, own in described["paths"].items():
        for method, each in own.items():
            assert each["summary"] and "401" in each["responses"], (path, method)
    jsonschema = pytest.importorskip("jsonschema")
    for name, each in described["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(each), name


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_requests_from_the_description_never_break_the_server(server, token, path, method):
    schemathesis = pytest.importorskip(
        "schemathesis", reason="fuzzing the API needs schemathesis, which is not installed"
    )
    schema = schemathesis.openapi.from_dict(openapi())
    operation = schema[path][method.upper()]
    headers = {"authorization": f"Bearer {token}"}

    @given(case=operation.as_strategy())
    @FEW
    def tried(case):
        answer = case.call(base_url=server.origin, headers=headers, timeout=60)
        assert answer.status_code < 500, (case.body, answer.text[:300])

    tried()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=30),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=12), inside, max_size=4),
    max_leaves=12,
)
WRITES = ["/api/evaluations", "/api/comparisons", "/api/files/pointed"]


@pytest.mark.parametrize("path", WRITES)
def test_any_json_is_answered_in_words(server, token, path):
    with httpx.Client(base_url=server.origin, headers={"authorization": f"Bearer {token}"}) as client:

        @given(body=JSON | st.fixed_dictionaries({"question": st.sampled_from(["counts", "plan"]), "answers": JSON}))
        @settings(FEW, max_examples=25)
        def tried(body):
            answer = client.post(path, json=body)
            assert answer.status_code in (201, 202, 422)
            assert answer.status_code != 422 or answer.json()["error"]["message"]

        tried()
