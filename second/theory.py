"""Closed forms, with n articles, a number or an array; rates; rows of theory; theory of claims."""
import math
import re
from bisect import bisect_left
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np

from workload import over_lives

DEFINED = r"^(\w+)\((.*?)\) = (.+)$"
ROW = r"^\| `(\w+): (.+?) of (.+?)(?: at (.+))?` \| `(.+)` \| (.*?) ?\|$"

def one(n, m):
    """Chance that one of n picks among m is a given one."""
    return -np.expm1(n * np.log1p(-1 / m))

def fill(m, k, n):
    return one(k * n, m)

def asymptotic(m, k, n):
    return (-np.expm1(-k * n / m)) ** k

def any_of(*rates):
    return -np.expm1(sum(np.log1p(-r) for r in rates))

def after(start, step, n):
    """The vector start times the n-th power of the matrix step, for each n of an array."""
    n = np.asarray(n)
    result = np.broadcast_to(start, n.shape + np.shape(start))
    while n.any():
        result = np.where((n & 1 > 0)[..., None], result @ step, result)
        step, n = step @ step, n >> 1
    return result

def exact(m, k, *counts, filters=1):
    """exact(n1, n2, ...) of the page, of as many filters each."""
    # Markov chains of the number of different positions, and of the unset among d given.
    d, start = np.arange(k + 1), np.eye(1, k + 1)[0]
    different = after(start, np.diag(d / m) + np.diag(1 - d[:-1] / m, 1), k)
    position = np.diag(1 - d / m) + np.diag(d[1:] / m, -1)
    article = np.linalg.matrix_power(position, k)
    all_set = (np.minimum(after(start, article.T, n), 1) for n in counts)
    return -np.expm1(filters * sum(np.log1p(-s[..., 1:]) for s in all_set)) @ different[1:]

@lru_cache(None)
def sized(n, target, filters=1):
    """The exact rule of sizing: bits and hashes."""
    best = 2**24 + 1, 0
    for k in range(1, 65):
        def meets(m):
            return exact(m, k, n, filters=filters) <= target
        if meets(best[0] - 1):
            best = 1 + bisect_left(range(1, best[0]), True, key=meets), k
    return best

def rate(q, h):
    """A row's numbers, by the queries and hits of pairs."""
    q, h = np.broadcast_arrays(q, h)
    n, hits, f = int(q.sum()), int(h.sum()), h.sum() / q.sum()
    if len(q) < 30 and not 0 < n <= len(q):
        return {"value": f, "count": len(q)}
    if len(q) < 30 or min(hits, n - hits) < 30:
        low, high = quantile(hits - 1, n, 0.975), quantile(hits, n, 0.025)
    else:
        e = 1.959964 * variance(q, h)**0.5
        low, high = max(0, f - e), min(1, f + e)
    return {"value": f, "low": low, "high": high, "count": n}

def variance(q, h):
    """The square of e/1.959964."""
    q, h, n = q.astype(int), h.astype(int), len(q)
    f = h.sum() / q.sum()
    squares = (h * h).sum() - 2 * f * (h * q).sum() + f * f * (q * q).sum()
    return max(0, squares) * n / (n - 1) / float(q.sum()) ** 2

@lru_cache(None)
def quantile(h, n, chance):
    """The rate at which h hits or fewer of n have the chance, by the side with fewer terms."""
    if h < 0:
        return 0.0
    if h > n / 2:
        return 1 - quantile(n - h - 1, n, 1 - chance)
    low, high, j = 0.0, 1.0, np.arange(h)
    for _ in range(64):
        x = (low + high) / 2
        terms = np.cumprod((n - j) / (j + 1) * x / (1 - x))
        above = math.exp(n * math.log1p(-x)) * (1 + terms.sum()) > chance
        low, high = (x, high) if above else (low, x)
    return low

def number(dimension):
    """A dimension's value: a number if it is one, and None if it is empty."""
    return eval(dimension) if re.fullmatch(r"-?[\d.]+", dimension) else dimension or None

def text(x, digits):
    """A number as rows have it."""
    if x is None or isinstance(x, str):
        return x or ""
    short = f"{float(x):.{digits}g}"
    whole = [int(y) for y in (float(x), float(short)) if y.is_integer()]
    return str(whole[0]) if whole else short

def rows_of_theory():
    """The page's rows of theory by name, as text. Its formulas are evaluated."""
    page, rows, above = (Path(__file__).parents[1] / "second/spec/rows.md").read_text("utf-8"), {}, {}
    names = {**vars(math), **globals(), "ln": math.log, "first": np.argmax, "N": np.arange(5000),
             "round": lambda x: math.floor(x + 0.5)}
    formulas = re.search("```formulas\n(.*?)```", page, re.DOTALL)[1].replace("^", "**")
    for name, arguments, formula in re.findall(DEFINED, formulas, re.MULTILINE):
        names[name] = eval(f"lambda {arguments}: {formula}", names)
    for experiment, quantity, strategies, at, formula, paper in re.findall(ROW, page, re.MULTILINE):
        dimensions = dict(d.split("=") for d in at.split(", ") if d)
        choices = (choice.split("; ") for choice in (strategies, *dimensions.values()))
        for strategy, *chosen in product(*choices):
            numbers = zip(dimensions, map(number, chosen))
            known = above.setdefault((experiment, strategy, *chosen), dict(numbers))
            known[quantity] = eval(formula.replace("^", "**"), {**names, **known})
            at = ", ".join(map("=".join, zip(dimensions, chosen)))
            name = f"{experiment}: {quantity} of {strategy}{at and ' at '}{at}"
            rows[name] = {"theory": text(known[quantity], 7), "paper": paper}
    return rows

def theories(claims, rows, measured):
    """The theory of each claim that the pages specify: rows have theories, and measured values."""
    theory = {row: np.float64(cells["theory"] or "nan") for row, cells in rows.items()}
    theory |= {f"{row} (theory)": x for row, x in theory.items()}
    value = {row: np.float64(measured[row]["value"] or "nan") for row in measured.keys() - claims}
    value, parts = theory | value, re.compile(", over |, less ")

    def number_of(piece, numbers):
        a, *b = (numbers.get(row, math.nan) for row in parts.split(piece))
        return a if not b else a / b[0] if ", over " in piece else a - b[0]
    found = {}
    for claim, cells in claims.items():
        pieces, bounds = cells["rows"].split("; "), cells["true if"].split(";")[0]
        x = [float(n) for n in re.findall(r"-?\d[-+.\de]*", bounds)] or [-math.inf, math.inf]
        low = -math.inf if "at most" in bounds else x[0]
        high = math.inf if "at least" in bounds else x[-1]
        values = np.array([number_of(piece, value) for piece in pieces])
        shown = pieces[np.maximum(low - values, values - high).argmax()]
        if cells["missing"] or theory.keys() >= {*parts.split(shown)}:
            number = math.nan if cells["missing"] else number_of(shown, theory)
            found[claim] = {"theory": f"{number:.7g}" if np.isfinite(number) else ""}
    return found
