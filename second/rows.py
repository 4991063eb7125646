"""Rows, as docs/rows.md writes them, and the intervals of rates."""
from functools import lru_cache
from math import exp, log1p

import numpy as np

COLUMNS = ("unit", "value", "low", "high", "theory", "paper", "count")


def text(x, digits=9):
    if x is None or isinstance(x, str):
        return x or ""
    short = f"{float(x):.{digits}g}"
    whole = [y for y in (float(x), float(short)) if y.is_integer() and abs(y) < 1e15]
    return str(int(whole[0])) if whole else short


def row(experiment, strategy, quantity, unit="", at=None, **numbers):
    """A row as its key and its text by column; at has its dimensions."""
    key = (experiment, strategy, quantity, tuple(sorted((d, text(v)) for d, v in (at or {}).items())))
    cells = {c: text(numbers.get(c), 7 if c == "theory" else 9) for c in COLUMNS[1:]}
    return key, {**cells, "unit": unit, "count": "" if cells["count"] == "0" else cells["count"]}


def rate(q, h):
    """Rates: the numbers of one rate, of queries and hits by pair; empty without queries."""
    q, h = np.broadcast_arrays(q, h)
    queries, hits = int(q.sum()), int(h.sum())
    if queries == 0:
        return {}
    f = hits / queries
    if len(q) < 30 and queries > len(q):
        return dict(value=f, count=len(q))
    if len(q) < 30 or min(hits, queries - hits) < 30:
        low, high = clopper_pearson(hits, queries)
    else:
        e = 1.959964 * variance(q, h) ** 0.5
        low, high = max(0, f - e), min(1, f + e)
    return dict(value=f, low=low, high=high, count=queries)


def variance(q, h):
    """Rates: the square of e/1.959964."""
    n, f, q, h = len(q), h.sum() / q.sum(), q.astype(int), h.astype(int)
    return max(0, (h * h).sum() - 2 * f * (h * q).sum() + f * f * (q * q).sum()) * n / (n - 1) / float(q.sum()) ** 2


@lru_cache(None)
def clopper_pearson(hits, n):
    """Rates: the interval of Clopper and Pearson, by the side with fewer terms."""
    if hits > n / 2:
        low, high = clopper_pearson(n - hits, n)
        return 1 - high, 1 - low
    return where_at_most(hits - 1, n, 0.975) if hits else 0, where_at_most(hits, n, 0.025)


def where_at_most(hits, n, chance):
    """The rate at which at most so many hits of n have the chance, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(64):
        x = (low + high) / 2
        term = total = exp(n * log1p(-x))
        for j in range(hits):
            term *= (n - j) / (j + 1) * x / (1 - x)
            total += term
        low, high = (x, high) if total > chance else (low, x)
    return low


def student(v):
    """The quantile 0.975 of Student's t with v degrees, by its expansion (Abramowitz and Stegun, 26.7.5)."""
    z = 1.959963984540054
    return (z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
            + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4))
