"""Plain twins of the rank metrics, straight from their definitions: over all pairs, or one threshold after another."""

from itertools import pairwise

import numpy as np
from scipy.integrate import quad


def thresholds(y, s):
    return sorted(set(s.tolist()), reverse=True)


def points(y, s):
    """(tp, fp) from (0, 0) on, one point per distinct score."""
    return [(0, 0)] + [(int((y & (s >= r)).sum()), int((~y & (s >= r)).sum())) for r in thresholds(y, s)]


def auroc(y, s):
    x, z = s[y][:, None], s[~y][None, :]
    return ((x > z) + 0.5 * (x == z)).mean()


def average_precision(y, s):
    return np.mean([(y & (s >= r)).sum() / (s >= r).sum() for r in s[y]])


def blocks(y, s):
    return [(t0, f0, t1, f1) for (t0, f0), (t1, f1) in pairwise(points(y, s)) if t1 > t0]


def davis_goadrich(y, s):
    area = 0.0
    for t0, f0, t1, f1 in blocks(y, s):
        ts = np.arange(t0, t1 + 1)
        fs = f0 + (ts - t0) * (f1 - f0) / (t1 - t0)
        if t0 + f0 == 0:
            area += (t1 - t0) * t1 / (t1 + f1)
        else:
            c = ts / (ts + fs)
            area += ((c[1:] + c[:-1]) / 2).sum()
    return area / y.sum()


def integral(y, s):
    area = 0.0
    for t0, f0, t1, f1 in blocks(y, s):
        slope = (f1 - f0) / (t1 - t0)

        def precision(t, t0=t0, f0=f0, slope=slope):
            return t / (t + f0 + (t - t0) * slope) if t > 0 else (0.0 if f0 else 1 / (1 + slope))

        area += quad(precision, t0, t1, epsabs=1e-12, epsrel=1e-12, limit=200)[0]
    return area / y.sum()


def auprg(y, s, steps=20_000):
    """Riemann sum over recall gain, with linear interpolation in counts."""
    P, N = y.sum(), (~y).sum()
    odds = P / N
    tps, fps = map(np.array, zip(*points(y, s), strict=True))
    gain = (np.arange(steps) + 0.5) / steps
    tp = odds * P / (1 + odds - gain)
    block = np.searchsorted(tps, tp, side="left")
    share = (tp - tps[block - 1]) / (tps[block] - tps[block - 1])
    fp = fps[block - 1] + share * (fps[block] - fps[block - 1])
    return np.mean(1 - odds * fp / tp)


def b_value(y, s, r, exclude_self=False):
    wins = pairs = 0.0
    for i in np.flatnonzero(y):
        for j in np.flatnonzero(s >= r):
            if exclude_self and i == j:
                continue
            pairs += 1
            wins += (s[i] > s[j]) + 0.5 * (s[i] == s[j])
    return wins / pairs if pairs else np.nan


def precision_at_indistinguishability(y, s):
    if auroc(y, s) < 0.5:
        return np.nan
    r = min(r for r in thresholds(y, s) if b_value(y, s, r) <= 0.5)
    return y[s >= r].mean()


def h_measure(y, s, a, b):
    from scipy.stats import beta

    P, N = y.sum(), (~y).sum()
    pts = points(y, s)

    def least(c, pts):
        return min(c * fp + (1 - c) * (P - tp) for tp, fp in pts)

    cuts = sorted({0.0, 1.0, P / (P + N)})
    grid = np.unique(np.concatenate([np.linspace(0, 1, 4001), cuts]))
    mid, width = (grid[1:] + grid[:-1]) / 2, np.diff(grid)
    w = beta(a, b).pdf(mid) * width
    loss = sum(least(c, pts) * wc for c, wc in zip(mid, w, strict=True))
    worst = sum(least(c, [(0, 0), (P, N)]) * wc for c, wc in zip(mid, w, strict=True))
    return 1 - loss / worst


def mean_over_tie_orders(y, s, k):
    """Expected true positives among k, by enumeration of block shares."""
    found, left = 0.0, k
    for r in thresholds(y, s):
        block = s == r
        take = min(left, block.sum())
        found += take * y[block].mean()
        left -= take
    return found
