"""A threshold card as a file: written once, read where the threshold is used."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._files import write_whole
from unconfuse._plain import plain_json
from unconfuse.table import Counts
from unconfuse.thresholds.card import FlatRegion, OperatingPoint, ThresholdCard
from unconfuse.uncertainty.estimate import Estimate

FORMAT = "unconfuse threshold card"
VERSION = 1


def card_to_json(card: ThresholdCard, path: Any = None) -> str:
    """Strict JSON with its version; written whole or not at all if a path is given."""
    said = [str(each) for each in card.findings]
    content = {"format": FORMAT, "version": VERSION, "findings": said, **card.as_dict()}
    text = json.dumps(plain_json(content), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    if path is not None:
        write_whole(Path(os.fspath(path)), text)
    return text


def read_card(source: Any) -> ThresholdCard:
    """The card in a file (or in JSON text, or in a mapping), checked.

    Examples
    --------
    >>> import unconfuse as uc
    >>> card = uc.threshold_card([0, 1, 0, 1], [.1, .4, .35, .8], rules=["youden"], n_resamples=20)
    >>> uc.read_card(card.to_json())["youden"].threshold.value
    0.4
    """
    content = source if isinstance(source, Mapping) else _parsed(source)
    if content.get("format") != FORMAT:
        raise InputError(
            f"this is no threshold card: `format` is {content.get('format')!r}. Hint: make one with "
            "`unconfuse thresholds FILE --export card.json`."
        )
    if content.get("version") != VERSION:
        raise InputError(
            f"the card has version {content.get('version')!r}; this unconfuse reads version {VERSION}. "
            "Hint: update unconfuse, or make the card again."
        )
    try:
        points = {name: _point(name, each) for name, each in content["rules"].items()}
        return ThresholdCard(
            points, dict(content["data"]), content["honest"], content["prevalence"], dict(content["settings"])
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"[:200]
        raise InputError(f"the threshold card is damaged ({what}). Hint: export it again.") from None


def _parsed(source: Any) -> Mapping[str, Any]:
    text = str(source) if isinstance(source, str) and source.lstrip().startswith("{") else _text(source)
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"the threshold card is not JSON: {error.msg} in line {error.lineno}.") from None
    if not isinstance(content, Mapping):
        raise InputError("the threshold card must be a JSON object.")
    return content


def _text(source: Any) -> str:
    try:
        return Path(os.fspath(source)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, TypeError) as error:
        raise InputError(
            f"the threshold card {str(source)[:200]} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from None


def _point(name: str, saved: Mapping[str, Any]) -> OperatingPoint:
    metrics, apparent, shifted = (
        {key: _estimate(key, each) for key, each in saved[part].items()}
        for part in ("metrics", "apparent", "at_prevalence")
    )
    threshold = _estimate("threshold", saved["threshold"])
    if math.isnan(threshold.value):
        raise InputError(f"the threshold card is damaged: rule {name!r} has no threshold. Hint: export it again.")
    return OperatingPoint(
        rule=name,
        label=saved["label"],
        why=saved["why"],
        threshold=threshold,
        next_score=_number(saved["next_score"]),
        flat_region=FlatRegion(*(_number(each) for each in saved["flat_region"])),
        metrics=metrics,
        apparent=apparent,
        optimism={key: _number(each) for key, each in saved["optimism"].items()},
        at_prevalence=shifted,
        counts=Counts(**saved["counts"]) if saved["counts"] else None,
        unreachable=saved["unreachable"],
    )


def _estimate(name: str, saved: Mapping[str, Any]) -> Estimate:
    value, low, high, baseline = (_number(saved[key]) for key in ("value", "low", "high", "baseline"))
    return Estimate(
        name=name,
        label=name.replace("_", " "),
        value=value,
        low=low,
        high=high,
        baseline=baseline,
        confidence_level=float(saved["confidence_level"]),
        method=str(saved["method"]),
        undefined=saved["undefined"],
    )


def _number(saved: Any) -> float:
    """Null stands for NaN; infinities are text."""
    return np.nan if saved is None else float(saved)
