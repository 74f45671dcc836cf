"""Both readings of a forecast, metric by metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import p_text
from unconfuse._html_repr import BLUE, GREY, VERMILION
from unconfuse.plots._style import line, new_axes, points
from unconfuse.results.forecast import Forecast, ForecastCheck

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ASIDE = 0.14


def plot_forecast(found: Forecast | ForecastCheck, *, ax: Axes | None = None) -> Axes:
    """Draw what is expected of each metric under both assumptions; of a check, what came as well.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> y = rng.random(600) < .3
    >>> f = uc.forecast((y, y + rng.normal(size=600)), rng.normal(size=300) + .4, threshold=.8)
    >>> plot_forecast(f).get_title(loc="left")
    'Forecast of 300 cases without labels'
    """
    if not isinstance(found, Forecast | ForecastCheck):
        raise ArgumentError(f"`found` must be what `forecast` returns; got {type(found).__name__}.")
    own = found.forecast if isinstance(found, ForecastCheck) else found
    names = [
        name
        for name in own.same_risk
        if own.same_risk[name].undefined is None or own.label_shift[name].undefined is None
    ]
    title = f"Forecast of {own.n:,.10g} cases without labels"
    ax = new_axes(ax, title=title, x="Value", y="")
    words = "refuted" if own.is_refuted else "not refuted"
    kinds: list[tuple[Any, str, str, float]] = [
        (own.same_risk, "if a score means as before", BLUE, -_ASIDE),
        (own.label_shift, f"if only the prevalence changed ({words}, {p_text(own.label_shift_p)})", VERMILION, _ASIDE),
    ]
    for estimates, label, colour, aside in kinds:
        pairs = [(place + aside, estimates[name]) for place, name in enumerate(names)]
        shown = [(place, each) for place, each in pairs if each.undefined is None]
        if shown:
            y, x = np.array([place for place, _ in shown]), np.array([each.value for _, each in shown])
            reach = np.array([[each.value - each.low, each.high - each.value] for _, each in shown]).T
            faint = 0.35 if estimates is own.label_shift and own.is_refuted else 1.0
            look: dict[str, Any] = {"fmt": "o", "color": colour, "markersize": points(4), "linewidth": line(1.4)}
            ax.errorbar(x, y, xerr=np.nan_to_num(reach), label=label, alpha=faint, **look)
    if isinstance(found, ForecastCheck):
        came = [found.realised[name] for name in names]
        ax.plot(came, range(len(names)), "D", color=GREY, markersize=points(5), label="what came", zorder=4)
    ax.set_yticks(range(len(names)), [own.same_risk[name].label.split(" (")[0] for name in names])
    ax.invert_yaxis()
    ax.legend(frameon=False, fontsize=points(8), loc="upper center", bbox_to_anchor=(0.5, -0.14))
    return ax
