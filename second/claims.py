"""Sizing, and what docs/rows.md says under Claims: its rows of theory, and the theory of claims."""
import math
import pathlib
import re
from itertools import product

import numpy as np

import theory
from rows import row
from workload import over_lives

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "rows.md"
TARGETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)

def sizing(run):
    n = 500
    for target in TARGETS:
        bits, nats = math.log2(1 / target), math.log(1 / target)
        m = -(-144 * math.ceil(n * bits) // 100)
        rules = {"paper": (m, math.floor(m / n * math.log(2) + 0.5)),
                 "lecture": (math.ceil(2 * n * nats), math.floor(1.44 * nats + 0.5)),
                 "exact": theory.sized(n, target)}
        for rule, (m, k) in rules.items():
            fpr = theory.exact(m, k, n)
            found = {"bits": m, "hashes": k, "bytes": -(-m // 8), "fpr": fpr, "miss": fpr / target}
            stated = (rule, target) == ("paper", 0.02)
            paper = {"bits": 4064, "hashes": 6, "bytes": 500, "fpr": 0.0156} if stated else {}
            for quantity, value in found.items():
                yield row(rule, quantity, target=target, theory=value, paper=paper.get(quantity))

def eq3(u):
    def w(u):
        return (math.lgamma(u + 1) - math.lgamma(u - 499)) / math.log(2)
    return w(u) - w(500 + 0.02 * (u - 500))

def days(first, last):
    return sum((120, 120, 120, 120, 150, 210, 210)[i % 7] for i in range(first, last))

def published(fifths):
    weights = [2**20]
    for _ in range(29):
        weights.append(weights[-1] * fifths // 5)
    shares = np.cumsum(weights) / sum(weights)
    return sum(math.floor(days(i, i + 1) * shares[i - 31] + 0.5) for i in range(31, 61))

def stages(articles, first, e, t):
    rates = []
    while articles > 0:
        n = first * 2 ** len(rates)
        rates.append(theory.exact(*theory.sized(n, e * (1 - t) * t ** len(rates)), n))
        articles -= n
    return theory.any_of(*rates)

FUNCTIONS = {
    "exact": theory.exact, "fill": theory.fill, "asymptotic": theory.asymptotic,
    "any_of": theory.any_of, "sized": theory.sized, "each": lambda t, f: 1 - (1 - t) ** (1 / f),
    "eq3": eq3, "days": days, "published": published, "stages": stages, "over_lives": over_lives,
    "ceil": math.ceil, "ln": math.log, "log2": math.log2, "e": math.e, "first": np.argmax,
    "N": np.arange(5000)}

def rows_of_theory():
    """The page's rows of theory: experiment, name and cells."""
    line = r"^\| `(\w+): (.+?) of (.+?)(?: at (.+))?` \| `(.+)` \| (.*?) ?\|$"
    above = {}
    for found in re.findall(line, PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        experiment, quantity, strategies, at, formula, paper = found
        dimensions = [d.split("=") for d in at.split(", ")] if at else []
        values = product(*(v.split("; ") for _, v in dimensions))
        for strategy, each in product(strategies.split("; "), list(values)):
            at = dict(zip((d for d, _ in dimensions), each))
            known = above.setdefault((experiment, strategy, each), {})
            numbers = {d: float(v) if "." in v else int(v) for d, v in at.items()
                       if re.fullmatch(r"[\d.]+", v)}
            known[quantity] = eval(formula.replace("^", "**"), {**FUNCTIONS, **known, **numbers})
            yield experiment, *row(strategy, quantity, theory=known[quantity], paper=paper, **at)

def arithmetic(run):
    return [line[1:] for line in rows_of_theory() if line[0] == "arithmetic"]

def region(true_if):
    """Low to high of "true if", or None without bounds."""
    x = [float(n) for n in re.findall(r"[-+.\de]*\d", true_if.split(";")[0])]
    if true_if.startswith("at least"):
        return x[0], math.inf
    if true_if.startswith("at most"):
        return -math.inf, x[0]
    return (x[0], x[-1]) if true_if.startswith("=") or len(x) == 2 else None

def combined(piece, of):
    """The number of a piece of evidence, where of has that of a row; None where one is missing."""
    names = re.split(", over |, less ", piece)
    a, b = of(names[0]), of(names[-1])
    if len(names) == 1 or a is None or b is None:
        return a if len(names) == 1 else None
    return a - b if ", less " in piece else a / b if b else None

def theories(claims, made, values):
    """The theory of each claim that the pages specify; all are rows by name."""
    made = {**{f"{e}: {name}": cells for e, name, cells in rows_of_theory()}, **made}

    def expected(name):
        number = made[name.removesuffix(" (theory)")]["theory"]
        return float(number) if number else None

    def value(name):
        return expected(name) if name.endswith("(theory)") else float(values[name]["value"])
    found = {}
    for claim, cells in claims.items():
        pieces, bounds, number = cells["rows"].split("; "), region(cells["true if"]), None
        low, high = bounds or (0, 0)
        try:
            if not cells["missing"]:
                measured = [combined(piece, value) if bounds else 0 for piece in pieces]
                outside = [max(low - x, x - high) for x in measured]
                number = combined(pieces[outside.index(max(outside))], expected)
        except KeyError:
            continue  # a row that is not in the pages
        found[claim] = {"theory": "" if number is None else f"{number:.7g}"}
    return found
