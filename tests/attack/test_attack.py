"""Each kind of attack for a few seconds with a fixed seed; `make attack` runs them for an hour."""

import time

import pytest
from hostile import BAD, modules, verdict_of

SEED = 13
SECONDS = 4.0  # of each kind, and no longer
AT_LEAST, AT_MOST = 3, 60  # inputs, however slow or fast the machine: what passes once passes again


NEEDS = {"databases": "PostgreSQL", "page": "browser"}


def marked(kind):
    return pytest.param(kind, marks=pytest.mark.needs(NEEDS[kind])) if kind in NEEDS else kind


@pytest.mark.parametrize("kind", [marked(each) for each in sorted(modules())])
def test_no_input_of_this_kind_breaks_anything(kind):
    module = modules()[kind]
    reason = getattr(module, "missing", lambda: "")()
    if reason:
        pytest.skip(reason)
    start, number, broken = time.monotonic(), 0, []
    try:
        while number < AT_LEAST or (number < AT_MOST and time.monotonic() - start < SECONDS):
            outcome = verdict_of(module, SEED, number)
            if outcome.verdict in BAD:
                broken.append(f"{kind} --seed {SEED} --input {number}: {outcome.verdict}\n{outcome.told}")
            number += 1
    finally:
        getattr(module, "close", lambda: None)()
    assert not broken, f"{len(broken)} of {number} inputs:\n" + "\n".join(broken[:3])
