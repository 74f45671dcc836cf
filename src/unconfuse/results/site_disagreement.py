"""Whether places that were merged disagree: one value for all of them hides it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from unconfuse._formatting import number_text, p_text
from unconfuse._scipy_special import chdtrc, logit, ndtri
from unconfuse.policy import Verdict
from unconfuse.uncertainty import Estimate, Finding


def places_finding(found: Mapping[str, Estimate], level: float = 0.95) -> Finding | None:
    """Return a finding if one metric differs between places by more than chance (Cochran's Q on the logit scale).

    Examples
    --------
    >>> import unconfuse as uc
    >>> rates = {"a": (90, 10), "b": (60, 40), "c": (88, 12)}
    >>> found = {name: uc.evaluate_counts(tp=tp, fp=5, fn=fn, tn=95)["recall"] for name, (tp, fn) in rates.items()}
    >>> print(places_finding(found))
    Sensitivity differs between the 3 places, from 0.600 ('b') to 0.900 ('a'), by more than chance (Cochran's Q, \
p < 0.001): one value for all of them hides that. Report the places separately.
    >>> places_finding({name: found[name] for name in ("a", "c")})
    """
    known = {
        name: estimate
        for name, estimate in found.items()
        if estimate.low > 0 and estimate.high < 1 and estimate.low < estimate.high
    }
    if len(known) < 2:
        return None
    reach = 2 * float(ndtri((1 + level) / 2))
    centres = [(float(logit(estimate.low)) + float(logit(estimate.high))) / 2 for estimate in known.values()]
    weights = [(reach / float(logit(estimate.high) - logit(estimate.low))) ** 2 for estimate in known.values()]
    mean = sum(w * x for w, x in zip(weights, centres, strict=True)) / sum(weights)
    q = sum(w * (x - mean) ** 2 for w, x in zip(weights, centres, strict=True))
    p = float(chdtrc(len(known) - 1, q))
    if p > 1 - level:
        return None
    lowest, highest = (pick(known, key=lambda name: known[name].value) for pick in (min, max))
    label = known[lowest].label.split(" (")[0]
    ends = (f"{number_text(known[name].value)} ({name!r})" for name in (lowest, highest))
    sentence = (
        f"{label} differs between the {len(known)} places, from {' to '.join(ends)}, by more than chance (Cochran's Q, "
        f"{p_text(p)}): one value for all of them hides that. Report the places separately."
    )
    numbers = {"lowest": known[lowest].value, "highest": known[highest].value, "q": q, "p": p}
    rule = "Places differ if Cochran's Q exceeds what equal places would give."
    return Finding(rule, Verdict.DIFFER_BY_PLACE, sentence, {k: v for k, v in numbers.items() if math.isfinite(v)})
