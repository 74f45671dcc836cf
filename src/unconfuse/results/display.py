"""How an evaluation is shown: its first numbers, one line, a few lines, a card in a notebook, plain values, figures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import number_text, plain_values
from unconfuse._phrases import counted
from unconfuse._render_mixins import lazy_import
from unconfuse.curves import curve_name
from unconfuse.uncertainty import Estimate

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

N_HEADLINES = 6
_OF_TWO = ("positives", "classes", "threshold")


def headline_of(evaluation: Evaluation) -> tuple[Estimate, ...]:
    """Return the few numbers to see first: usual ones as far as they are here, or the first of the user's own."""
    known = evaluation.shown_first
    usual = [evaluation.estimates[name] for name in known if name in evaluation.estimates]
    others = [estimate for name, estimate in evaluation.estimates.items() if name not in known]
    return tuple((usual or others)[:N_HEADLINES])


def line_of(evaluation: Evaluation) -> str:
    """Say what an evaluation is of, how many cases it rests on, and how these were drawn."""
    sample = evaluation.sample
    of = f" of {evaluation.name}" if evaluation.name else ""
    by = f", by {' and '.join(sample.by)}" if sample.by else ""
    by += f", means over {len(evaluation.folds)} folds" if sample.sampling.pooled else ""
    by += f", {len(sample.site_parts())} sites" if sample.has_sites else ""
    size = evaluation._size_line()
    return f"Evaluation{of}: {counted(len(evaluation), 'metric')}, {size}, {evaluation.design} design{by}"


def text_of(evaluation: Evaluation) -> str:
    """Write the first numbers, one per line, under what they rest on."""
    first = evaluation.headline
    lines = [
        f"  {estimate.label} {number_text(estimate.value)} {estimate.interval_text}".rstrip() for estimate in first
    ]
    return "\n".join([repr(evaluation), *lines])


def html_of(evaluation: Evaluation) -> str:
    """Build a card: the first verdict, bars of the first numbers, small pictures, and what they rest on."""
    first = evaluation.findings[0] if evaluation.findings else None
    rows = [
        [*estimate.cells_html(evaluation.value_range(estimate.name), estimate.baseline), estimate.bound_text(4)]
        for estimate in evaluation.headline
    ]
    bars = f"Bars: {evaluation.confidence_level * 100:.4g}% intervals; tick: guessing."
    heads = ["", "", "", "", "exact value certainly"] if any(row[4] for row in rows) else []
    return _html_repr.card(
        evaluation.name or "Evaluation",
        _html_repr.side_by_side(_html_repr.table(heads, rows, numbers=[1]), *evaluation._small_pictures()),
        _html_repr.quiet(f"{bars} {len(evaluation)} metrics in .to_frame()."),
        verdict=first.sentence if first else "",
        notes=[repr(evaluation), *(finding.sentence for finding in evaluation.findings[1:2])],
        tone=_html_repr.edge_of(first.verdict if first else ""),
    )


def pictures_of(evaluation: Evaluation) -> list[str]:
    """Draw the ROC curve and the four counts of a yes-or-no question."""
    if not evaluation.has_decisions:
        return [_small_roc(evaluation)]
    cells = [f"{float(cell):,.7g}" for cell in evaluation.counts.as_dict().values()]
    return [_small_roc(evaluation), _html_repr.matrix(cells)]


def _small_roc(evaluation: Evaluation) -> str:
    if evaluation.score_table is None or not (evaluation.positives > 0 and evaluation.negatives > 0):
        return ""
    roc = evaluation.curve("roc").downsampled(80)
    point = None
    if evaluation.threshold is not None:
        counts = evaluation.counts
        point = float(counts.fp) / evaluation.negatives, float(counts.tp) / evaluation.positives
    return _html_repr.roc(roc["fpr"].tolist(), roc["tpr"].tolist(), point)


def plain_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the whole result as plain values."""
    metrics = evaluation.estimates.items()
    return {
        "metrics": {name: estimate.as_dict() | evaluation._plain_context(estimate) for name, estimate in metrics},
        "n": evaluation.n,
        **evaluation._plain_fields(),
        "design": evaluation.design,
        "confidence_level": evaluation.confidence_level,
        "n_resamples": evaluation.n_resamples,
        "seed": evaluation.seed,
        "findings": plain_values(evaluation.findings),
        "skipped": evaluation.skipped.as_dict(),
        **_plain_of_folds(evaluation),
        **({"sites": evaluation.sites.as_dict()} if evaluation.sample.has_sites else {}),
    }


def plain_of_two(evaluation: Evaluation) -> dict[str, Any]:
    """Return what is said of a yes-or-no question besides its metrics."""
    counts = plain_values(evaluation.counts) if evaluation.has_decisions else None
    known = {name: plain_values(getattr(evaluation, name)) for name in _OF_TWO}
    return {**known, "threshold_origin": plain_values(evaluation.threshold_source), "counts": counts}


def _plain_of_folds(evaluation: Evaluation) -> dict[str, Any]:
    """Every fold's values, and those of all cases pooled."""
    if not evaluation.sample.sampling.pooled:
        return {}
    values = {fold: {name: each.value for name, each in own.items()} for fold, own in evaluation.folds.items()}
    return {"folds": values, "pooled": {name: estimate.as_dict() for name, estimate in evaluation.pooled.items()}}


def figure_of(evaluation: Evaluation, picture: str | None, path: str | None, how: dict[str, Any]) -> Any:
    """Draw the picture of that name, or the usual ones, saved if a path is given; the name may be a path too."""
    draw = lazy_import("plots")
    picture = picture if picture is None else str(os.fspath(picture))
    if picture is not None and picture not in draw.OF_DECISIONS:
        picture = curve_name(picture)
    if picture in draw.OF_DECISIONS:
        figure = draw.OF_DECISIONS[picture](evaluation, **how).figure
        return figure if path is None else draw.save(figure, path)
    if picture is not None and picture not in draw.PICTURES:
        if path is not None or not Path(picture).suffix:
            raise ArgumentError(
                f"there is no picture {picture!r}. {did_you_mean(picture, [*draw.PICTURES, *draw.OF_DECISIONS])}"
            )
        picture, path = None, picture
    if picture is None and evaluation.score_table is None:
        figure = draw.plot_confusion(evaluation.confusion, **how).figure
        return figure if path is None else draw.save(figure, path)
    evaluation._scores("a picture")
    if picture is None:
        figure = draw.overview(evaluation, title=evaluation.name, **how)
    else:
        figure = draw.PICTURES[picture](evaluation, **how).figure
    return figure if path is None else draw.save(figure, path)
