"""The rows of theory of docs/rows.md, which sizing and arithmetic are, and the theory of claims."""
import math
import pathlib
import re
from itertools import product

import numpy as np

import theory
from rows import row
from workload import over_lives

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "rows.md"
DEFINED = r"^(\w+)\((.*?)\) = (.+)$"
ROW = r"^\| `(\w+): (.+?) of (.+?)(?: at (.+))?` \| `(.+)` \| (.*?) ?\|$"

def rows_of_theory():
    """The page's rows of theory: experiment, name and cells. Its formulas are evaluated."""
    page = PAGE.read_text(encoding="utf-8")
    names = {"exact": theory.exact, "fill": theory.fill, "asymptotic": theory.asymptotic,
             "any_of": theory.any_of, "sized": theory.sized, "over_lives": over_lives,
             "ceil": math.ceil, "round": lambda x: math.floor(x + 0.5), "first": np.argmax,
             "ln": math.log, "log2": math.log2, "lgamma": math.lgamma, "e": math.e,
             "N": np.arange(5000)}
    block = re.search("```formulas\n(.*?)```", page, re.DOTALL)[1].replace("^", "**")
    for name, arguments, formula in re.findall(DEFINED, block, re.MULTILINE):
        names[name] = eval(f"lambda {arguments}: {formula}", names)
    above = {}
    for found in re.findall(ROW, page, re.MULTILINE):
        experiment, quantity, strategies, at, formula, paper = found
        dimensions = [d.split("=") for d in at.split(", ")] if at else []
        choices = product(strategies.split("; "), *(values.split("; ") for _, values in dimensions))
        for strategy, *chosen in choices:
            at = dict(zip((d for d, _ in dimensions), chosen))
            known = above.setdefault((experiment, strategy, *chosen), {})
            numbers = {d: float(v) if "." in v else int(v) for d, v in at.items()
                       if re.fullmatch(r"[\d.]+", v)}
            known[quantity] = eval(formula.replace("^", "**"), {**names, **known, **numbers})
            yield experiment, *row(strategy, quantity, theory=known[quantity], paper=paper, **at)

def sizing(run):
    return [line[1:] for line in rows_of_theory() if line[0] == "sizing"]

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
