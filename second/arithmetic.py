"""The experiments sizing and arithmetic of docs/rows.md, which are theory alone."""
from math import ceil, e, floor, log, log2

import numpy as np

import formulas
from rows import row

TARGETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
LN2 = log(2)


def whole(x):
    return floor(x + 0.5)


def sizing(run):
    """The rows of sizing."""
    n = 500
    for target in TARGETS:
        bits = -(-144 * ceil(n * log2(1 / target)) // 100)
        rules = {"paper": (bits, whole(bits / n * LN2)),
                 "lecture": (ceil(2 * n * log(1 / target)), whole(1.44 * log(1 / target))),
                 "exact": formulas.exact_sized(n, target)}
        for rule, (m, k) in rules.items():
            fpr = formulas.exact_one(m, k, n)
            stated = (4064, 6, 500, 0.0156, None) if (rule, target) == ("paper", 0.02) else (None,) * 5
            for (quantity, unit, theory), paper in zip((
                    ("bits", "bit", m), ("hashes", "", k), ("bytes", "B", -(-m // 8)), ("fpr", "ratio", fpr),
                    ("miss", "ratio", fpr / target)), stated):
                yield row("sizing", rule, quantity, unit, {"target": target}, theory=theory, paper=paper)


def arithmetic(run):
    """The rows of arithmetic, in the order of the page."""
    def line(strategy, quantity, unit, theory, paper=None, **dimensions):
        return row("arithmetic", strategy, quantity, unit, dimensions, theory=theory, paper=paper)
    n, eps, exact = 500, 0.02, formulas.exact_one
    b, best = n * log2(1 / eps), 8.128 * LN2

    def eq3(u):
        return formulas.log_falling(u, n) - formulas.log_falling(n + eps * (u - n), n)
    for users in (10**6, 10**7):
        yield line("paper", "bytes", "B", users * 4000, users=users, structure="queue")
        yield line("paper", "bytes", "B", users * 500, users=users, structure="filter")
    for u in (10**4, 10**5, 10**6, 10**7):
        yield line("paper", "bits", "bit", eq3(u), formula="eq. 3", catalogue=u)
    yield line("paper", "bits", "bit", b, 2822, formula="eq. 3")
    enough = [ceil(eq3(10**i)) == ceil(b) for i in range(4, 13)]
    yield line("paper", "articles", "", 10 ** (4 + len(enough) - enough[::-1].index(False)), formula="eq. 3")
    yield line("paper", "bits ratio", "ratio", log2(e), 1.44, formula="eq. 4 over eq. 3")
    yield line("paper", "bits", "bit", 1.44 * ceil(b), 4064, formula="eq. 4 rounded")
    yield line("paper", "bits", "bit", b * log2(e), formula="eq. 4")
    yield line("paper", "hashes", "", 8 * LN2, 5.633, formula="best", bits=8)
    yield line("paper", "hashes", "", best, 5.633, formula="best", bits=8.128)
    half = {"formula": "half to the hashes"}
    yield line("paper", "fpr", "ratio", (1 - e ** (-best / 8.128)) ** best, formula="asymptotic", bits=8.128, hashes="best")
    yield line("paper", "fpr", "ratio", 2**-best, bits=8.128, **half)
    yield line("paper", "fpr", "ratio", 2**-6, 0.0156, hashes=6, **half)
    for k in range(1, 13):
        yield line("paper", "fpr", "ratio", exact(4064, k, n), hashes=k)
    for m in (4000, 4064):
        yield line("paper", "fpr", "ratio", exact(m, 6, n), bits=m)
    yield line("paper", "fpr", "ratio", exact(4064, 6, 499), articles=499, formula="exact")
    rates = formulas.exact(4064, 6, np.arange(5000))
    fills = formulas.fill(4064, 6, np.arange(5000))
    yield line("paper", "articles", "", np.argmax(rates >= 0.0156) - 1, target=0.0156, statistic="most")
    yield line("paper", "articles", "", np.argmax(rates >= 0.99), target=0.99, statistic="least")
    yield line("paper", "fpr", "ratio", rates[np.argmax(rates >= 0.99)], target=0.99)
    yield line("paper", "articles", "", np.argmax(fills >= 0.9), target=0.9, structure="fill", statistic="least")
    for many in (10**8, 10**9):
        m = ceil(-many * log(0.01) / LN2**2)
        k = m / many * LN2
        for quantity, unit, theory in (("bits", "bit", m), ("bytes", "B", -(-m // 8)), ("hashes", "", k),
                                       ("fpr", "ratio", formulas.asymptotic(m, whole(k), many))):
            yield line("article", quantity, unit, theory, articles=many, target=0.01)
    for many in (0, 500, 2000, 10_000, 1_000_000):
        yield line("article", "probes", "", sum(formulas.fill(4064, 6, many) ** i for i in range(6)), articles=many)
    yield line("lecture", "comparisons", "", 9_000_000, candidates=3000)
    yield line("lecture", "probes", "", 21_000, candidates=3000)
    yield line("lecture", "hashes", "", 1 / LN2, formula="per nat")
    yield line("lecture", "bits", "bit", 1 / LN2**2, formula="per nat")
    yield line("lecture", "fpr", "ratio", exact(5000, 7, n), bits=10, formula="bits an article")
    for strategy, many, target, filters in (("500 articles", 500, 0.0156, 1), ("100 articles", 100, 0.0156, 1),
                                            ("five links", 100, 0.0156, 5), ("ten links", 100, 0.02, 10)):
        m, k = formulas.exact_sized(many, 1 - (1 - target) ** (1 / filters))
        for quantity, unit, theory in (("bits", "bit", m), ("hashes", "", k), ("fpr", "ratio", exact(m, k, many, filters))):
            yield line(strategy, quantity, unit, theory, target=target)
