"""What the tests of surfaces share: one data set in every form, and the command line in and out of process."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from unconfuse.cli import cli


@pytest.fixture(scope="session")
def columns():
    """300 cases, a third of them positive, with tied scores."""
    rng = np.random.default_rng(7)
    truth = rng.random(300) < 1 / 3
    score = np.round(np.clip(0.35 + 0.2 * truth + rng.normal(0, 0.15, 300), 0.01, 0.99), 2)
    return {"y": np.where(truth, "ill", "well").tolist(), "p": score.tolist()}


@pytest.fixture(scope="session")
def data_files(columns, tmp_path_factory):
    """The same rows as CSV, compressed CSV, Parquet and JSON lines."""
    import pandas as pd

    folder, frame = tmp_path_factory.mktemp("data"), pd.DataFrame(columns)
    frame.to_csv(folder / "data.csv", index=False)
    (folder / "data.csv.gz").write_bytes(gzip.compress((folder / "data.csv").read_bytes()))
    frame.to_parquet(folder / "data.parquet")
    frame.to_json(folder / "data.jsonl", orient="records", lines=True)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture
def run():
    """Run the command line in this process."""

    def invoke(*arguments, **options):
        return CliRunner().invoke(cli, [str(each) for each in arguments], prog_name="unconfuse", **options)

    return invoke


@pytest.fixture
def shell():
    """Run the installed command in a process of its own."""

    def start(*arguments, **options):
        command = [str(Path(sys.executable).with_name("unconfuse")), *map(str, arguments)]
        environment = {**os.environ, "COLUMNS": "100", **options.pop("env", {})}
        return subprocess.run(command, capture_output=True, env=environment, check=False, timeout=120, **options)

    return start
