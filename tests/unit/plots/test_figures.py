"""Figures for papers: every curve has a picture, drawn without a warning and saved with its words; colours that all can
tell apart; sizes of columns."""

import re
import zlib

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import colors, pyplot, style  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

import unconfuse as uc  # noqa: E402
from unconfuse import _html_repr, plots  # noqa: E402
from unconfuse._errors import ArgumentError, InputError  # noqa: E402
from unconfuse.curves import CURVES  # noqa: E402

RNG = np.random.default_rng(2)
Y = RNG.random(400) < 0.3
S = 1 / (1 + np.exp(1 - 1.4 * Y - RNG.normal(size=400)))
TABLE = uc.score_table(Y, S)
SHEETS = ("unconfuse.plots.look", "unconfuse.plots.one_column", "unconfuse.plots.two_columns")


def test_every_curve_has_a_picture():
    assert set(plots.PICTURES) == set(CURVES)
    assert {each.__name__ for each in plots.PICTURES.values()} <= set(plots.__all__)


STARTS = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}


@pytest.mark.parametrize("columns", [None, 1, 2])
@pytest.mark.parametrize("name", CURVES)
def test_picture_is_drawn_and_saved(name, columns, tmp_path):
    with plots.style(columns):
        ax = plots.PICTURES[name](TABLE)
    assert ax.lines or ax.patches
    for ending, start in STARTS.items() if columns == 1 else [(".svg", STARTS[".svg"])]:  # papers take all three
        file = tmp_path / f"picture{ending}"
        plots.save(ax.figure, str(file))
        assert file.read_bytes().startswith(start)
    assert ax.get_title(loc="left").split("\n")[0] in (tmp_path / "picture.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_bands_where_they_exist(name):
    ax = plots.PICTURES[name](uc.evaluate(Y, S, metrics=["auroc"]), band=True)
    assert [each for each in ax.collections if isinstance(each, PolyCollection)]


def test_intervals_of_the_bins_are_drawn():
    bins = uc.curve("reliability_bins", TABLE)
    (bars,) = [each for each in plots.plot_reliability(TABLE).containers if hasattr(each, "has_yerr")]
    drawn = np.array([path.vertices[:, 1] for path in bars[2][0].get_paths()])
    np.testing.assert_allclose(drawn, np.column_stack([bins["low"], bins["high"]]), atol=1e-12)


def test_words_stay_words_and_fonts_are_embedded(tmp_path):
    figure = plots.plot_roc(TABLE).figure
    for ending in ("svg", "pdf"):
        plots.save(figure, str(tmp_path / f"a.{ending}"))
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "<text" in drawn and "useless" in drawn and "<image" not in drawn
    written = (tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in written and b"/Type3" not in written  # TrueType, whole; no pictures of letters
    streams = [zlib.decompress(each) for each in re.findall(rb"stream\n(\x78.*?)\nendstream", written, re.S)]
    assert any(b"Tf" in each for each in streams)


def test_the_same_figure_is_the_same_file(tmp_path):
    for ending in ("svg", "pdf"):
        for name in "ab":
            plots.save(plots.plot_roc(TABLE).figure, str(tmp_path / f"{name}.{ending}"), close=True)
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize(("columns", "millimetres"), [(1, 88), (2, 180)])
def test_sizes_of_columns(columns, millimetres):
    with plots.style(columns):
        for figure in (plots.plot_roc(TABLE).figure, plots.plot_trends(TABLE).figure, plots.overview(TABLE)):
            assert round(25.4 * figure.get_size_inches()[0]) == millimetres
            figure.draw_without_rendering()
            smallest = min(text.get_fontsize() for text in figure.findobj(matplotlib.text.Text) if text.get_text())
            assert smallest >= 6  # points: what journals still print


def test_style_ends_with_its_block():
    before = dict(matplotlib.rcParams)
    with plots.style(1):
        assert matplotlib.rcParams["pdf.fonttype"] == 42
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(ArgumentError, match="columns"):
        plots.style(3)


def test_sheets_work_by_name_and_have_the_palette():
    with style.context(list(SHEETS)):
        cycle = list(matplotlib.rcParams["axes.prop_cycle"])
        pyplot.plot([0, 1], [0, 1])
    assert [each["color"].upper().lstrip("#") for each in cycle] == [each.lstrip("#") for each in _html_repr.COLOURS]
    assert [tuple(each["linestyle"][1] or ()) for each in cycle] == list(_html_repr.DASHES)


def test_several_models_differ_without_colour():
    ax = plots.plot_roc({"a": TABLE, "b": uc.score_table(Y, 1 - S), "c": uc.score_table(Y, S**2)})
    named = [each for each in ax.lines if not each.get_label().startswith("_")]
    assert len({each._unscaled_dash_pattern[1] for each in named}) == len(named) == 3


# Machado, Oliveira & Fernandes (2009), full severity, on linear RGB.
SEEN_BY = {
    "everyone": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour):
    part = np.array(colors.to_rgb(colour))
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear RGB, so that distances are what eyes see."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    f = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_colours_can_be_told_apart(eyes):
    seen = [lab(SEEN_BY[eyes] @ linear(each)) for each in _html_repr.COLOURS]
    apart = [np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i]]
    assert min(apart) > 10  # 2 is what a trained eye just sees
    for pair in (
        _html_repr.TERMINAL,
        {name: light for name, (light, _) in _html_repr.ROLES.items()},
        {name: dark for name, (_, dark) in _html_repr.ROLES.items()},
    ):
        a, b = (lab(SEEN_BY[eyes] @ linear(pair[name])) for name in ("positive", "negative"))
        assert np.linalg.norm(a - b) > 25


@pytest.mark.parametrize("ground", [0, 1], ids=["light", "dark"])
def test_words_keep_their_contrast(ground):
    paper = luminance(_html_repr.ROLES["paper"][ground])
    for name in ("ink", "quiet", "good", "bad"):
        assert contrast(luminance(_html_repr.ROLES[name][ground]), paper) >= 4.5, name
    for name in ("positive", "negative", "line"):
        assert contrast(luminance(_html_repr.ROLES[name][ground]), paper) >= 3, name
    for name in ("positive", "negative", "good", "bad"):
        assert contrast(luminance(_html_repr.TERMINAL[name]), paper) >= 3, name


def luminance(colour):
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(one, two):
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(InputError, match="Hint"):
        plots.save(plots.plot_roc(TABLE).figure, str(tmp_path / "a.docx"))


@pytest.mark.parametrize(
    "picture", [plots.plot_metrics_against_b, plots.plot_b_parts, plots.plot_b_curve, plots.plot_trends]
)
@pytest.mark.parametrize("seed", range(3))
def test_names_stay_inside_and_cover_no_other_name(picture, seed):
    random = np.random.default_rng(seed)
    y = random.random(900) < (0.02, 0.3, 0.6)[seed]
    ax = picture(uc.score_table(y, random.normal(size=900) + (0.3, 1.5, 3)[seed] * y))
    ax.figure.draw_without_rendering()
    frame = ax.get_window_extent()
    words = [(each.get_text(), each.get_window_extent()) for each in ax.texts if each.get_position()[1] <= 1.0]
    for place, (name, box) in enumerate(words):
        assert frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 and box.y0 >= frame.y0 - 1, name
        others = [other for other, its in words[:place] if box.overlaps(its)]
        assert not others, f"{name} covers {others}"
    pyplot.close(ax.figure)


def test_every_result_may_be_several_by_name():
    classes = uc.evaluate_confusion([[5, 1, 0], [2, 9, 1], [0, 3, 4]], n_resamples=100)
    divided = uc.evaluate(Y, S, by={"g": np.arange(len(Y)) % 2}, metrics=["sensitivity"], n_resamples=100)
    found = uc.indistinguishability(Y, S, n_resamples=100)
    card = uc.threshold_card(Y, S, rules=["youden"], n_resamples=20)
    power = uc.resolving_power(uc.Binormal(), ["auroc"], n=500, prevalence=0.3, at=0.8, method="asymptotic")
    for draw, one, words in (
        (plots.plot_confusion, classes, ()),
        (plots.plot_subgroups, divided.subgroups, ()),
        (plots.plot_indistinguishability, found, ()),
        (plots.plot_threshold_card, card, ()),
        (plots.plot_signal_curve, power, ("auroc",)),
    ):
        axes = draw({"a": one, "b": one}, *words)
        assert [each.get_title(loc="left").split("\n")[0] for each in axes] == ["a", "b"]
    assert len(plots.plot_normality({"a": TABLE, "b": TABLE}).axes) == 6
    with pytest.raises(uc.UnconfuseError, match="no model"):
        plots.plot_normality({})


def test_a_slide_is_wide_large_and_light_on_dark():
    with plots.style("slide"):
        for figure in (plots.plot_roc(TABLE).figure, plots.plot_trends(TABLE).figure):
            wide, high = figure.get_size_inches()
            assert round(wide / high, 3) == round(16 / 9, 3)
            figure.canvas.draw()
            words = [text for text in figure.findobj(matplotlib.text.Text) if text.get_text()]
            assert min(each.get_fontsize() for each in words) >= 12
            ground = matplotlib.colors.to_rgb(figure.get_facecolor())
            assert max(ground) < 0.2
            assert all(max(matplotlib.colors.to_rgb(each.get_color())) > 0.5 for each in words), "dark words on dark"


def test_confusions_of_thirty_classes_keep_their_shades_and_names():
    counts = np.eye(30) * 94
    counts[0, 1], counts[2, 3] = 90, 6
    names = [f"Department of {kind} medicine, unit {i}" for kind in ("internal", "geriatric") for i in range(15)]
    ax = plots.plot_confusion(uc.evaluate_confusion(counts, classes=names), ordered=False)
    _, wrong = ax.images
    shades = [tuple(wrong.to_rgba(wrong.get_array())[place][:3]) for place in ((0, 1), (2, 3), (4, 5))]
    assert len(set(shades)) == 3, "49%, 6% and none differ"
    shown = [each.get_text() for each in ax.get_yticklabels()]
    assert len(set(shown)) == 30 and not any("Department" in each for each in shown)
    digits = plots.plot_confusion(uc.evaluate_confusion(np.eye(10) * 9 + 1, classes=[*"0123456789"]))
    assert {each.get_rotation() for each in digits.get_xticklabels()} == {0.0}
