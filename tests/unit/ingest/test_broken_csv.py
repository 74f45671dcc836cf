"""Files that break off, or are no text, are refused in one sentence wherever Python itself reads them."""

import pytest
from click.testing import CliRunner

from unconfuse.cli import cli

ROWS = b"y,p,q\n" + b"1,.5,.3\n0,.2,.1\n" * 10
LONG = b'"' + b"x" * 200_000 + b'"'
FILES = {
    "a cell that is too long": ROWS + b"0,.2," + LONG + b"\n",
    "a name that is too long": b"y,p," + LONG + b"\n1,.5,1\n0,.2,2\n",
    "a quote that is never closed, below a title": b"Study\n\n" + ROWS + b'1,"' + b".5\n" * 60_000,
    "neither UTF-8 nor Windows-1252, below a title": b"Study\n\n" + ROWS + b"1,\x81\x82,2\n",
    "a score table with a long cell": b"score,positives,negatives\n.5,1," + LONG + b"\n",
    "a score table that is no text": b"score,positives,negatives\n.5,1,\x81\n",
}
COMMANDS = ["evaluate {} --label y --score p", "evaluate {}", "reconstruct {}", "counts --matrix {}", "thresholds {}"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("words", FILES)
def test_broken_files_are_refused_in_words(tmp_path, words, command):
    path = tmp_path / "rows.csv"
    path.write_bytes(FILES[words])
    result = CliRunner().invoke(cli, command.format(path).split())
    assert result.exit_code in (0, 2), result.output
    assert "went wrong" not in result.output


def test_samples_of_a_log_that_are_no_text_are_named(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b'{"doc_id": 1, "target": "a", "exact_match": 1}\n{"doc_id": 2\x81\n')
    result = CliRunner().invoke(cli, ["items", str(path)])
    assert result.exit_code == 2
    assert "line 2 of" in result.output
