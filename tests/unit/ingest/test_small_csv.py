"""A small CSV file is read without the engine, and says what the engine would say; or is left to it."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.ingest.data import ReadRequest
from unconfuse.ingest.sources import files

PLAIN = {
    "without zeros": "y,p\n1,.5\n0,-.25e1\n",
    "whole": "y,p\n1,0.25\n0,0.5\n0,1e-3\n1,0.1000000000000000055511151231257827\n",
    "words": "truth;score\nja;3\nnein;-2.5E+1\nja;0.0\n",
    "other columns": "id,y,p,note\n1,0,.1,\n2,1,.1,NA\n",
    "windows": "y,p\r\n1,0.5\r\n0,0.25\r\n",
    "no last line end": "y\tp\n1\t0.5\n0\t0.25",
    "letters": "y,p\nkrank-ä,0.5\ngesund,0.25\n",
    "spaces in names": " y , p \n1,0.5\n0,0.25\n",
    "many digits": "y,p\n1,0.123456789012345678901234567\n0,1234567890.12345\n",
    "minus zero": "y,p\n1,0.30000000000000004\n0,0.3\n1,0\n0,-0.0\n",
    "truth values": "y,p\ntrue,0.5\nfalse,0.25\n",
}
ODD = {
    "quotes": 'y,p\n"1",0.5\n0,0.25\n',
    "missing score": "y,p\n1,NA\n0,0.25\n",
    "missing label": "y,p\n,0.5\n0,0.25\n1,1\n",
    "short line": "y,p\n1\n0,0.25\n",
    "blank line": "y,p\n1,0.5\n\n0,0.25\n",
    "no rows": "y,p\n",
    "infinite": "y,p\n1,inf\n0,0.25\n",
    "space": "y,p\n1, 0.5\n0,0.25\n",
    "one class": "y,p\n1,0.5\n1,0.25\n",
    "mixed ends": "y,p\r\n1,0.5\n0,0.25\n",
    "beyond": "y,p\n1,1e22\n0,1e23\n",
    "only a point": "y,p\n1,.\n0,1.\n",
    "huge": "y,p\n1,90071992547409931\n0,90071992547409930\n",
    "first line blank": "\ny,p\n1,0.5\n0,0.25\n",
    "no such column": "a,b\n1,2\n",
}


def found(path, monkeypatch, small, **words):
    """What a file holds, or how it is refused."""
    with monkeypatch.context() as patch:
        if not small:
            patch.setattr(files, "read_small", lambda *_: None)
        try:
            sample = files.read(uc.Data(str(path), **words), ReadRequest())
        except uc.UnconfuseError as error:
            return str(error)
    tables = {
        model: (t.score.tobytes(), t.positives.tobytes(), t.negatives.tobytes())
        for model, (t,) in sample.tables.items()
    }
    return tables, sample.classes, sample.positive_label, sample.skipped, sample.is_weighted, sample.has_fractions


@pytest.mark.parametrize("name", [*PLAIN, *ODD])
def test_it_says_what_the_engine_says(tmp_path, monkeypatch, name):
    path = tmp_path / "rows.csv"
    path.write_bytes((PLAIN | ODD)[name].encode())
    assert found(path, monkeypatch, True) == found(path, monkeypatch, False)


def test_stated_labels_and_several_models(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("y,a,b\nx,0.5,1\nz,0.25,2\nw,0.125,3\nx,0.25,2\n")
    for words in ({"positive": "x"}, {"positive": "x", "negative": "rest"}, {"positive": "q"}):
        asked = {"label": "y", "score": ["a", "b"], **words}
        assert found(path, monkeypatch, True, **asked) == found(path, monkeypatch, False, **asked)


def test_random_numbers_are_the_same_to_the_last_bit(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    s = rng.random(500) * 10.0 ** rng.integers(-20, 12, 500)
    path = tmp_path / "rows.csv"
    forms = ("%.17g", "%.3f", "%.6e", "%r")
    path.write_text("y,p\n" + "".join(f"{k % 2},{forms[k % 4] % float(each)}\n" for k, each in enumerate(s)))
    assert found(path, monkeypatch, True) == found(path, monkeypatch, False)


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_file_needs_no_engine(tmp_path, monkeypatch, name):
    path = tmp_path / "rows.csv"
    path.write_bytes(PLAIN[name].encode())
    monkeypatch.setattr(files, "Engine", None)
    files.read(uc.Data(str(path), positive={"words": "ja", "letters": "krank-ä"}.get(name)), ReadRequest())
