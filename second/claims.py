"""The theory of every claim: docs/rows.md, Claims."""
import re
from math import floor

import formulas
from structures import single
from workload import over_lives

UNSPECIFIED = "not in the pages"


def month_days(first, last):
    """Articles of the days first to last-1."""
    return sum((120, 120, 120, 120, 150, 210, 210)[i % 7] for i in range(first, last))


def by_publication(fifths):
    """The articles that count at day 61, where an age in days has so many fifths of the weight of the one before."""
    weights = [2**20]
    while len(weights) < 30:
        weights.append(weights[-1] * fifths // 5)
    return sum(floor(month_days(i, i + 1) * sum(weights[:i - 30]) / sum(weights) + 0.5) for i in range(31, 61))


def grown(articles, first, eps, tight):
    """A scalable filter of the row's articles: 1 - product(1 - exact) of its stages, all filled."""
    rates, i = [], 0
    while articles > 0:
        n = first * 2**i
        rates.append(formulas.exact_one(*formulas.exact_sized(n, eps * (1 - tight) * tight**i), n))
        articles, i = articles - n, i + 1
    return formulas.any_of(rates)


def elsewhere(experiment, strategy, quantity, at):
    """The theory of a row that claims name of an experiment which is not made here: a number, None, or UNSPECIFIED."""
    one, full = formulas.exact_one, formulas.exact_one(4064, 6, 500)
    of_month = "one filter, rebuilt nightly by publication, read "
    if strategy.startswith("activity"):
        return UNSPECIFIED
    if quantity in ("repeats shown inside the window", "articles lost", "histories lost", "differing") and not (
            "zeroing" in strategy or at.get("of") == "deleted false positives"):
        return 0
    if experiment == "hashes":
        return full if at["bits"] == "4064" else one(812, 6, 100)
    if experiment == "snapshot":
        return 10 * (1 - over_lives(single("single", 4064, 6).rate))
    if experiment == "ship":
        size = {"shipped": 520, "asked": 32_512}[at["way"]]
        return size if quantity == "bytes" else 500_000 + 0.8 * size
    known = {
        ("month", "beyond/layered"): lambda: formulas.any_of([
            one(1441, 7, 120), one(10075, 7, 240), one(43171, 7, 4440)]),
        ("month", "one filter, as long as the layers"): lambda: one(54687, 8, 4440),
        ("month", "one filter, rebuilt nightly"): lambda: one(75090, 12, month_days(31, 61)),
        ("month", "one filter, never rebuilt"): lambda: 1 if quantity != "fpr" else one(75090, 12, month_days(0, 61)),
        ("proposals", "growing: data migrated from a log"): lambda: one(8128, 6, 1000),
        ("proposals", "growing: made for 1000 from the first"): lambda: one(8128, 6, 1000),
        ("proposals", "beyond/scalable"): lambda: grown(int(at["articles"]), 25, 0.02, 0.7),
        ("proposals", "growing: twenty times"): lambda: grown(int(at["articles"]), 1, 0.05, 0.9),
        ("month", of_month + "evenly"): lambda: one(75090, 12, by_publication(5)),
        ("month", of_month + "lately"): lambda: one(75090, 12, by_publication(4)),
        ("proposals", "growing: each bit to both of its places"): lambda: formulas.any_of([
            formulas.fill(4064, 6, 500), formulas.fill(8128, 6, 500)]) ** 6,
        ("proposals", "growing: bits copied as they stand"): lambda: full / 2**6,
        ("proposals", "beyond/counting"): lambda: {
            "deleted recognised": one(4064, 6, 450), "bytes over single": 4,
            "articles lost": 500 * (1 - one(4064, 6, 499) / full)}[quantity],
        ("proposals", "zeroing: the bits of one article"): lambda: 499 * (1 - (1 - formulas.fill(4064, 6, 1)) ** 6),
        ("proposals", "users: a filter each"): lambda: full,
        ("proposals", "recording: all that passes the filter"): lambda: 1,
        ("proposals", "second check: both"): lambda: 100 / 2**64,
    }
    return known.get((experiment, strategy), lambda: None)()


def parse(name):
    """A row's name as its key, and whether its theory counts as its value."""
    bare = name.removesuffix(" (theory)")
    experiment, rest = bare.split(": ", 1)
    rest, _, at = rest.partition(" at ")
    quantity, strategy = rest.split(" of ", 1)
    dimensions = tuple(sorted(tuple(d.split("=", 1)) for d in at.split(", "))) if at else ()
    return (experiment, strategy, quantity, dimensions), bare != name


def region(true_if):
    """Low to high of "true if", or None without bounds."""
    x = [float(n) for n in re.findall(r"[-+.\de]*\d", true_if.split(";")[0])]
    if true_if.startswith("at least"):
        return x[0], float("inf")
    if true_if.startswith("at most"):
        return float("-inf"), x[0]
    return (x[0], x[-1]) if true_if.startswith("=") or len(x) == 2 else None


def combined(piece, of):
    """The number of a piece of evidence, where of has that of a row: a row, or one over or less another."""
    for word, result in ((", over ", lambda a, b: a / b if b else None), (", less ", lambda a, b: a - b)):
        if word in piece:
            a, b = (of(name) for name in piece.split(word))
            return a if UNSPECIFIED in (a, b) else None if a is None or b is None else result(a, b)
    return of(piece)


def key(line):
    return "claims", line["id"], "theory", ()


def theories(lines, made, values):
    """The theory of each claim that the pages specify, by key: lines are of claims.csv, made and values rows by key."""
    def theory(name):
        of, _ = parse(name)
        if of in made:
            return float(made[of]["theory"]) if made[of]["theory"] else None
        number = elsewhere(*of[:3], dict(of[3]))
        return number if number in (None, UNSPECIFIED) else float(f"{number:.7g}")

    def value(name):
        of, theoretical = parse(name)
        return theory(name) if theoretical else float(values[of]["value"])
    found = {}
    for line in lines:
        pieces, bounds = line["rows"].split("; "), region(line["true if"])
        shown = pieces[0]
        if bounds and not line["missing"]:
            outside = [max(bounds[0] - x, x - bounds[1]) for x in (combined(piece, value) for piece in pieces)]
            shown = pieces[outside.index(max(outside))]
        number = None if line["missing"] else combined(shown, theory)
        if number != UNSPECIFIED:
            found[key(line)] = {"theory": "" if number is None else f"{number:.7g}"}
    return found
