"""Rows, as docs/rows.md names and writes them, and the intervals of rates."""
from functools import lru_cache
from math import exp, log1p

import numpy as np

NUMBERS = ("value", "low", "high", "theory", "paper", "count")
UNITS = {"bits": "bit", **dict.fromkeys(("bytes", "bytes per user", "payload per user",
                                         "payload total", "header per user"), "B"),
         **dict.fromkeys(("fpr", "fill", "retention", "miss", "bits ratio", "fpr by article",
                          "articles losing a tenth"), "ratio")}

def text(x, digits=9):
    if x is None or isinstance(x, str):
        return x or ""
    short = f"{float(x):.{digits}g}"
    for y in (float(x), float(short)):
        if y.is_integer() and abs(y) < 1e15:
            return str(int(y))
    return short

def name(strategy, quantity, at):
    """What claims call a row, but for its experiment; at has its dimensions, as text."""
    where = ", ".join(f"{d}={v}" for d, v in sorted(at.items()) if v)
    return f"{quantity} of {strategy}" + (f" at {where}" if where else "")

def row(strategy, quantity, **cells):
    """A row as its name and the text of its other columns; cells are numbers and dimensions."""
    at = {d: text(v) for d, v in cells.items() if d not in NUMBERS}
    numbers = {c: text(cells.get(c), 7 if c == "theory" else 9) for c in NUMBERS}
    if numbers["count"] == "0":
        numbers["count"] = ""
    return name(strategy, quantity, at), {"unit": UNITS.get(quantity, ""), **numbers}

def rate(q, h, groups=None):
    """Rates: the numbers of one rate, of queries and hits by pair; empty without queries.

    With groups, the queries and hits of each, the interval is clustered by these, too.
    """
    q, h = np.broadcast_arrays(q, h)
    queries, hits = int(q.sum()), int(h.sum())
    if queries == 0:
        return {}
    f, pairs = hits / queries, len(q) if groups is None else min(len(q), len(groups[0]))
    if pairs < 30 and queries > len(q):
        return {"value": f, "count": len(q)}
    if pairs < 30 or min(hits, queries - hits) < 30:
        low, high = clopper_pearson(hits, queries)
    else:
        spread, quantile = variance(q, h), 1.959964
        if groups is not None:
            spread += max(0, variance(*groups) - f * (1 - f) / queries)
            quantile = student(pairs - 1)
        e = quantile * spread**0.5
        low, high = max(0, f - e), min(1, f + e)
    return {"value": f, "low": low, "high": high, "count": queries}

def variance(q, h):
    """Rates: the square of e/1.959964."""
    q, h = q.astype(int), h.astype(int)
    n, f = len(q), h.sum() / q.sum()
    squares = (h * h).sum() - 2 * f * (h * q).sum() + f * f * (q * q).sum()
    return max(0, squares) * n / (n - 1) / float(q.sum()) ** 2

@lru_cache(None)
def clopper_pearson(hits, n):
    """Rates: the interval of Clopper and Pearson, by the side with fewer terms."""
    if hits > n / 2:
        low, high = clopper_pearson(n - hits, n)
        return 1 - high, 1 - low
    return where_at_most(hits - 1, n, 0.975) if hits else 0, where_at_most(hits, n, 0.025)

def where_at_most(hits, n, chance):
    """The rate at which at most so many hits of n have the chance, by bisection."""
    low, high, j = 0.0, 1.0, np.arange(hits)
    for _ in range(64):
        x = (low + high) / 2
        terms = np.cumprod((n - j) / (j + 1) * x / (1 - x))
        above = exp(n * log1p(-x)) * (1 + terms.sum()) > chance
        low, high = (x, high) if above else (low, x)
    return low

def student(v):
    """The quantile 0.975 of Student's t with v degrees (Abramowitz and Stegun, 26.7.5)."""
    z = 1.959963984540054
    return (z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
            + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4))
