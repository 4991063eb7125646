"""The experiments sizing and arithmetic of docs/rows.md, which are theory alone."""
from math import ceil, e, floor, lgamma, log, log2

import numpy as np

from formulas import asymptotic, exact, exact_one, exact_sized, fill
from rows import row

LN2 = log(2)


def sizing(run):
    n = 500
    for target in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1):
        bits = -(-144 * ceil(n * log2(1 / target)) // 100)
        rules = {"paper": (bits, floor(bits / n * LN2 + 0.5)), "exact": exact_sized(n, target),
                 "lecture": (ceil(2 * n * log(1 / target)), floor(1.44 * log(1 / target) + 0.5))}
        for rule, (m, k) in rules.items():
            fpr = exact_one(m, k, n)
            stated = (4064, 6, 500, 0.0156, None) if (rule, target) == ("paper", 0.02) else (None,) * 5
            found = {"bits": ("bit", m), "hashes": ("", k), "bytes": ("B", -(-m // 8)), "fpr": ("ratio", fpr),
                     "miss": ("ratio", fpr / target)}
            for (quantity, (unit, theory)), paper in zip(found.items(), stated):
                yield row("sizing", rule, quantity, unit, {"target": target}, theory=theory, paper=paper)


UNITS = {"bytes": "B", "bits": "bit", "bits ratio": "ratio", "fpr": "ratio"}


def arithmetic(run):
    def line(quantity, theory, paper=None, strategy="paper", **at):
        return row("arithmetic", strategy, quantity, UNITS.get(quantity, ""), at, theory=theory, paper=paper)

    def eq3(u):
        def w(u):
            return (lgamma(u + 1) - lgamma(u - n + 1)) / LN2
        return w(u) - w(n + 0.02 * (u - n))
    n, b, best = 500, 500 * log2(50), 8.128 * LN2
    for users in (10**6, 10**7):
        yield line("bytes", users * 4000, users=users, structure="queue")
        yield line("bytes", users * 500, users=users, structure="filter")
    for u in (10**4, 10**5, 10**6, 10**7):
        yield line("bits", eq3(u), formula="eq. 3", catalogue=u)
    yield line("bits", b, 2822, formula="eq. 3")
    short = [u for u in (10**i for i in range(4, 13)) if ceil(eq3(u)) != ceil(b)]
    yield line("articles", 10 * short[-1], formula="eq. 3")
    yield line("bits ratio", log2(e), 1.44, formula="eq. 4 over eq. 3")
    yield line("bits", 1.44 * ceil(b), 4064, formula="eq. 4 rounded")
    yield line("bits", b * log2(e), formula="eq. 4")
    yield line("bits", b * log2(e) / 5, 812, formula="eq. 4", articles=100)
    yield line("hashes", 8 * LN2, 5.633, formula="best", bits=8)
    yield line("hashes", best, 5.633, formula="best", bits=8.128)
    yield line("fpr", (1 - e ** (-best / 8.128)) ** best, formula="asymptotic", bits=8.128, hashes="best")
    yield line("fpr", 2**-best, formula="half to the hashes", bits=8.128)
    yield line("fpr", 2**-6, 0.0156, formula="half to the hashes", hashes=6)
    for k in range(1, 13):
        yield line("fpr", exact_one(4064, k, n), hashes=k)
    for m in (2032, 4000, 4064, 8128):
        yield line("fpr", exact_one(m, 6, n), bits=m)
    yield line("fpr", exact_one(2822, 4, n), bits=2822, formula="eq. 3")
    yield line("fpr", exact_one(4064, 6, 499), articles=499, formula="exact")
    rates, fills = exact(4064, 6, np.arange(5000)), fill(4064, 6, np.arange(5000))
    yield line("articles", np.argmax(rates >= 0.0156) - 1, target=0.0156, statistic="most")
    yield line("articles", np.argmax(rates >= 0.99), target=0.99, statistic="least")
    yield line("fpr", rates[np.argmax(rates >= 0.99)], target=0.99)
    yield line("articles", np.argmax(fills >= 0.9), target=0.9, structure="fill", statistic="least")
    for many in (10**8, 10**9):
        m = ceil(-many * log(0.01) / LN2**2)
        k = m / many * LN2
        yield line("bytes", 8 * many, strategy="article", articles=many, structure="raw IDs")
        size = -(-m // 8)
        found = {"bits": m, "bytes": size, "mebibytes": size / 2**20, "hashes": k,
                 "fpr": asymptotic(m, floor(k + 0.5), many)}
        for quantity, theory in found.items():
            yield line(quantity, theory, strategy="article", articles=many, target=0.01)
    for many in (0, 500, 2000, 10_000, 1_000_000):
        probes = sum(fill(4064, 6, many) ** i for i in range(6))
        yield line("probes", probes, strategy="article", articles=many)
    yield line("comparisons", 9_000_000, strategy="lecture", candidates=3000)
    yield line("probes", 21_000, strategy="lecture", candidates=3000)
    yield line("hashes", 1 / LN2, strategy="lecture", formula="per nat")
    yield line("bits", 1 / LN2**2, strategy="lecture", formula="per nat")
    yield line("fpr", exact_one(5000, 7, n), strategy="lecture", bits=10, formula="bits an article")
    both = (0.0156, 0.02)
    for strategy, many, filters, targets in (("500 articles", 500, 1, both[:1]), ("100 articles", 100, 1, both),
                                             ("five links", 100, 5, both), ("ten links", 100, 10, both[1:])):
        for target in targets:
            m, k = exact_sized(many, 1 - (1 - target) ** (1 / filters))
            for quantity, theory in {"bits": m, "hashes": k, "fpr": exact_one(m, k, many, filters)}.items():
                yield line(quantity, theory, strategy=strategy, target=target)
