"""Intervals by their names, as other software computes them: `python tests/reference/make_named_intervals.py`.

Proportions and ratios by statsmodels, bootstraps by scipy.stats.bootstrap, the AUROC and partial areas by R's pROC
(`Rscript` with pROC must be installed). Writes named_intervals.json beside this file.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

PROPORTIONS = [(8, 10), (0, 12), (12, 12), (1, 40), (63, 100), (499, 500)]
NAMES = {
    "wilson": "wilson",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
    "agresti_coull": "agresti_coull",
    "wald": "normal",
}
TABLES = [(80, 10, 20, 90), (30, 4, 9, 200), (12, 7, 3, 15)]
R = """
suppressMessages(library(pROC))
d <- read.csv("%s")
r <- suppressMessages(roc(d$y, d$s, direction = "<"))
both <- function(x) as.numeric(x)[c(1, 3)]
out <- c(as.numeric(auc(r)), both(ci.auc(r, method = "delong")), sqrt(var(r, method = "delong")))
for (span in list(c(1, .9), c(1, .5), c(.9, .6))) out <- c(out, as.numeric(auc(r, partial.auc = span)),
  as.numeric(auc(r, partial.auc = span, partial.auc.correct = TRUE)))
for (span in list(c(1, .8), c(.9, .5))) out <- c(out, as.numeric(auc(r, partial.auc = span, partial.auc.focus = "se")),
  as.numeric(auc(r, partial.auc = span, partial.auc.focus = "se", partial.auc.correct = TRUE)))
o <- suppressMessages(roc(d$y, d$t, direction = "<"))
test <- roc.test(r, o, method = "delong")
out <- c(out, test$p.value, as.numeric(test$conf.int))
half <- seq_len(nrow(d)) %%%% 2 == 0
a <- suppressMessages(roc(d$y[half], d$s[half], direction = "<"))
b <- suppressMessages(roc(d$y[!half], d$s[!half], direction = "<"))
out <- c(out, roc.test(a, b, method = "delong", paired = FALSE)$p.value)
cat(sprintf("%%.15g", out), sep = "\\n")
"""
KEYS = ["auroc", "low", "high", "standard_error"]
KEYS += [f"{kind} {span}" for span in ("fpr 0-0.1", "fpr 0-0.5", "fpr 0.1-0.4") for kind in ("raw", "mcclish")]
KEYS += [f"{kind} {span}" for span in ("tpr 0.8-1", "tpr 0.5-0.9") for kind in ("raw", "mcclish")]
KEYS += ["paired p", "paired low", "paired high", "independent p"]


def scores(seed: int, n: int) -> dict[str, list[float]]:
    """Labels and two correlated scores, rounded so that there are ties."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    s, t = rng.normal(size=(2, n)) + np.array([[1.3], [0.8]]) * y
    return {"y": y.astype(int).tolist(), "s": np.round(s, 1).tolist(), "t": np.round(0.6 * s + t, 1).tolist()}


def by_proc(data: dict[str, list[float]]) -> dict[str, Any]:
    path = Path("/tmp/named_intervals.csv")
    rows = zip(*data.values(), strict=True)
    path.write_text("y,s,t\n" + "\n".join(",".join(map(str, row)) for row in rows), encoding="utf-8")
    ran = subprocess.run(["Rscript", "-e", R % path], capture_output=True, text=True, check=True)
    return {**data, "pROC": dict(zip(KEYS, map(float, ran.stdout.split()), strict=True))}


def by_statsmodels() -> dict[str, Any]:
    # Imported here, so that collecting this file does not need what only making the values needs.
    from statsmodels.stats.contingency_tables import Table2x2
    from statsmodels.stats.proportion import proportion_confint

    shares = [
        {"method": name, "successes": x, "trials": n, "limits": proportion_confint(x, n, 0.05, theirs)}
        for name, theirs in NAMES.items()
        for x, n in PROPORTIONS
    ]
    ratios = []
    for tp, fp, fn, tn in TABLES:
        table, turned = Table2x2(np.array([[tp, fn], [fp, tn]])), Table2x2(np.array([[fn, tp], [tn, fp]]))
        found = {"diagnostic_odds_ratio": table.oddsratio_confint(), "lr_positive": table.riskratio_confint()}
        found["lr_negative"] = turned.riskratio_confint()
        ratios.append({"counts": (tp, fp, fn, tn), **{key: list(map(float, each)) for key, each in found.items()}})
    return {"proportions": [{**each, "limits": list(map(float, each["limits"]))} for each in shares], "ratios": ratios}


def by_scipy() -> list[dict[str, Any]]:
    """Of a sensitivity, 0s and 1s among the positives, by the named bootstraps with very many resamples."""
    found = []
    for tp, fn in ((45, 15), (18, 2)):
        data = (np.repeat([1.0, 0.0], [tp, fn]),)
        for method in ("percentile", "basic", "bca"):
            made = stats.bootstrap(data, np.mean, n_resamples=200_000, method=method.replace("bca", "BCa"), rng=1)
            limits = [float(each) for each in made.confidence_interval]
            found.append({"tp": tp, "fn": fn, "method": method, "limits": limits})
    return found


if __name__ == "__main__":
    whole = {**by_statsmodels(), "bootstrap": by_scipy(), "auroc": [by_proc(scores(seed, 120)) for seed in (1, 2)]}
    Path(__file__).with_name("named_intervals.json").write_text(json.dumps(whole) + "\n", encoding="utf-8")
