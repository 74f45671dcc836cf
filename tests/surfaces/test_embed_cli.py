"""`--embed`: an iframe in place of the result, for the page that --html wrote."""

import pytest
from click.testing import CliRunner

from unconfuse.cli import cli

COUNTS = ["counts", "--tp", "9", "--fp", "1", "--fn", "2", "--tn", "8"]


def run(*arguments):
    return CliRunner().invoke(cli, [*COUNTS, *arguments])


def test_prints_an_iframe_alone(tmp_path):
    page = tmp_path / "my page.html"
    done = run("--html", str(page), "--title", 'A "test"', "--embed")
    assert done.exit_code == 0 and page.exists()
    assert done.stdout.startswith('<iframe src="my%20page.html" ') and done.stdout.count("\n") == 1
    assert 'title="A &quot;test&quot; (unconfuse)"' in done.stdout and str(tmp_path) not in done.stdout


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "needs --html"),
        (["--html", "a.html", "--json"], "--format"),
        (["--html", "a.html", "--methods"], "--embed"),
    ],
)
def test_refuses_what_it_cannot_embed(more, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("--embed", *more)
    assert done.exit_code == 2 and said in done.stderr and not (tmp_path / "a.html").exists()
