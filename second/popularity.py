"""The experiment popularity of docs/rows.md: IDs that all users share, drawn by rank, with and without a salt."""
import hashlib

import numpy as np

import structures
from hashing import A, ARTICLES, B, G, POPULAR, U, draw, hi, key, mix, stream, u64
from rows import clopper_pearson, rate, row, student, variance
from workload import Histories

STEP = 100_000  # of theory by article: a rate is so many steps of 1e-5
SHOWN, ORDERED = 500, 600


def salted(seed, user, x):
    """popularity: the IDs x under the salts of the users; both broadcast."""
    digest = np.frombuffer(hashlib.sha256(f"the salts of seed {seed}".encode()).digest()[:16], "<u8").astype(U)
    k0, k1 = digest[:1], digest[1:]

    def fold(x, y):
        return hi(x, y) ^ (x * y)
    b = fold(u64(user) ^ k0, k1 | U(1))
    c = fold(b ^ k1, k0 | U(1))
    x = x ^ b
    x = x ^ (x >> U(32))
    x = x * A
    x = (x ^ (x >> U(29)) ^ c) * B
    return x ^ (x >> U(32))


def blocks(users, width, most=400_000):
    """The users in blocks whose tables of so many columns are small."""
    return np.array_split(users, max(1, len(users) * width // most))


class Market:
    """A market, what every user is shown of it, and which articles are asked for."""

    def __init__(self, seed, users, n, exponent):
        self.n, self.exponent, self.user = n, exponent, np.arange(users)
        weight = np.floor(2.0**32 * np.arange(1.0, n + 1) ** -exponent + 0.5)
        self.share, ends = weight / weight.sum(), np.cumsum(weight.astype(U))
        self.ids = draw(key(seed, 0, ARTICLES) + u64(np.arange(1, n + 1)) * G)
        start, self.order = key(seed, self.user, POPULAR), np.zeros((users, ORDERED), int)
        for block in blocks(self.user, n):
            left, draws = block, 2 * ORDERED
            while len(left):
                line = np.arange(len(left))[:, None]
                found = np.searchsorted(ends, hi(stream(start[left, None], np.arange(1, draws + 1)), ends[-1:]), "right")
                when = np.zeros((len(left), n), np.int32)
                when[line, found[:, ::-1].copy()] = np.arange(draws)[::-1]  # the first draw is written last, and stays
                new = when[line, found] == np.arange(draws)
                done = new.sum(axis=1) >= ORDERED
                new &= (np.cumsum(new, axis=1) <= ORDERED) & done[:, None]
                self.order[left[done]] = found[new].reshape(-1, ORDERED)
                left, draws = left[~done], 2 * draws
        self.asked = np.arange(0, n, max(1, n // 5000))
        self.shown = np.zeros((users, len(self.asked)), bool)
        for block in blocks(self.user, n):
            shown = np.zeros((len(block), n), bool)
            shown[np.arange(len(block))[:, None], self.order[block, :SHOWN]] = True
            self.shown[block] = shown[:, self.asked]
        unshown = users - self.shown.sum(axis=0)
        self.measured = np.nonzero(2 * unshown >= users)[0]
        self.unshown = unshown[self.measured]

    def ask(self, structure, seed, salt):
        """Hits of each user's candidates, and of each measured article over the users it was not shown to."""
        user, ids = self.user, self.ids
        rows = ids[self.order]
        if salt:
            rows = salted(seed, user[:, None], rows)
        h = Histories(rows[:, :SHOWN].ravel(), SHOWN * user, np.full(len(user), SHOWN))
        state, hits = structure.record(h), 0
        candidates = state.seen(rows[:, SHOWN:], user)
        for block in blocks(user, len(self.measured), 50_000):
            asked = ids[self.asked[self.measured]][None, :]
            if salt:
                asked = salted(seed, block[:, None], asked)
            hits = hits + (state.seen(asked, block) & ~self.shown[block][:, self.measured]).sum(axis=0)
        return candidates, hits

    def chances(self, n):
        """popularity: chances(n), by Newton's method, which here only rises."""
        t, step = float(n), 1.0
        while n and step > 1e-13 * t:
            missed = np.exp(-t * self.share)
            step = (n - (1 - missed).sum()) / (self.share * missed).sum()
            t += step
        return -np.expm1(-t * self.share)

    def rates(self, m, k, links, size):
        """Theory by article: the rate of each measured article, without a salt."""
        places = np.array(structures.positions(mix(self.ids), m, k))
        once = np.array([~np.any(places[:i] == p, axis=0) for i, p in enumerate(places)])
        mine, mine_once = places[:, self.asked[self.measured]], once[:, self.asked[self.measured]]
        missed = 1
        for j in range(links):
            p = np.minimum(self.chances((j + 1) * size) - self.chances(j * size), 1 - 1e-12)
            log = np.log1p(-p)
            unset = np.bincount(places.ravel(), (once * log).ravel(), m)
            each = -np.expm1(np.minimum(0, unset[mine] - log[self.asked[self.measured]]))
            missed = missed * (1 - np.where(mine_once, each, 1).prod(axis=0))
        return 1 - missed


class Spread:
    """Theory by article: the expected number of articles by the measured rate, in steps of 1e-5."""

    def __init__(self, p, w, articles=1):
        """p is the rate of each article, over w users; articles is how many of each there are."""
        factorial = np.append(0, np.cumsum(np.log(np.arange(1, w.max() + 1))))
        p, articles = np.broadcast_to(p, w.shape), np.broadcast_to(articles, w.shape)
        self.mean, self.articles = (p * articles).sum() / articles.sum(), articles.sum()
        mode = np.minimum(np.floor((w + 1) * p).astype(int), w)
        some = p > 0
        log = factorial[w] - factorial[mode] - factorial[w - mode] + mode * np.log(np.where(some, p, 1))
        top = np.where(some, np.exp(log + (w - mode) * np.log1p(-p)), 1)
        self.steps = np.zeros(STEP + 1)
        self.add(mode, w, top * articles)
        for step in (1, -1):
            h, chance, live = mode, top, np.arange(len(w)) if step else None
            h, chance, rate, of, many = (x[live] for x in (h, chance, p, w, articles))
            while len(h):
                if step > 0:
                    chance = chance * (of - h) / (h + 1) * rate / (1 - rate)
                else:
                    chance = chance * h / (of - h + 1) * (1 - rate) / rate
                h = h + step
                live = chance >= 1e-12
                h, chance, rate, of, many = (x[live] for x in (h, chance, rate, of, many))
                self.add(h, of, chance * many)
        self.from_top = np.cumsum(self.steps[::-1])

    def add(self, h, w, chance):
        self.steps += np.bincount(np.floor(h / w / 1e-5 + 0.5).astype(int), chance, STEP + 1)

    def highest(self, k):
        """Theory of r(k)."""
        return (STEP - np.searchsorted(self.from_top, k - 1 / 3)) * 1e-5

    def losing(self):
        return self.from_top[STEP - 10_000] / self.articles


def quantiles(n):
    return {"p90": (n + 9) // 10, "p99": (n + 99) // 100, "worst": 1}


def candidates_rate(market, hits):
    """popularity, fpr: a rate whose interval is clustered by user and by article."""
    asked = market.order[:, SHOWN:]
    q, h = np.full(len(hits), asked.shape[1]), hits.sum(axis=1)
    values = rate(q, h)
    total, found = int(q.sum()), int(h.sum())
    if min(found, total - found) < 30:
        return dict(values, **dict(zip(("low", "high"), clopper_pearson(found, total))))
    group = (market.ids[asked] * G >> U(52)).astype(int).ravel()
    gq, gh = np.bincount(group, minlength=4096), np.bincount(group, hits.ravel(), 4096).astype(int)
    gq, gh = gq[gq > 0], gh[gq > 0]
    f = values["value"]
    e = student(min(len(q), len(gq)) - 1) * (variance(q, h) + max(0, variance(gq, gh) - f * (1 - f) / total)) ** 0.5
    return dict(values, low=max(0, f - e), high=min(1, f + e))


def theory(market, structure, salt):
    """Theory by article, and the rates it is of; neither is there for most structures without a salt."""
    if salt:
        w, many = np.unique(market.unshown, return_counts=True)
        return Spread(structure.rate[SHOWN], w, many), None
    if structure.name not in ("single", "chain"):
        return None, None
    filters, (links, size) = structure.parts[0], structure.slots
    rates = market.rates(filters.m, filters.k, links, size if links > 1 else SHOWN)
    return Spread(rates, market.unshown), rates


def popularity(run):
    """The rows of popularity."""
    users = min(2000, run.users)
    every = structures.all_structures()
    some = [s for s in every if s.name in ("single", "chain")]
    kinds = [(5000, 1, every)] + [(5000, a, some) for a in (0.6, 0.8, 1.2)] + [(n, 1, some) for n in (50_000, 1_000_000)]
    for n, exponent, asked in kinds:
        yield from market_rows(run, Market(run.seed, users, n, exponent), asked, n == 5000 and exponent == 1)
    yield from redrawn(run, users, some[0])


def market_rows(run, market, asked, by_share):
    base, count = {"exponent": market.exponent, "catalogue": market.n}, len(market.measured)

    def line(strategy, quantity, unit="", more=(), **values):
        return row("popularity", strategy, quantity, unit, {**base, **dict(more)}, **values)
    yield line("", "users", value=len(market.user))
    yield line("", "articles", value=count)
    yield line("", "unshown users", more={"statistic": "least"}, value=market.unshown.min())
    yield line("", "unshown users", more={"statistic": "mean"}, value=market.unshown.mean())
    for s in asked:
        for salt in ("none", "user"):
            hits, by_article = market.ask(s, run.seed, salt == "user")
            expected, rates = theory(market, s, salt == "user")
            found = by_article / market.unshown
            ordered = np.sort(found)[::-1]
            kind = {"salt": salt}
            yield line(s.name, "fpr", "ratio", kind, theory=s.rate[SHOWN], **candidates_rate(market, hits))
            yield line(s.name, "fpr by article", "ratio", {**kind, "statistic": "mean"}, value=found.mean(),
                       theory=expected and expected.mean, count=count)
            k, ranks = 1, [({"statistic": name}, k) for name, k in quantiles(count).items()]
            while by_share and k < count:
                ranks.append(({"share": k / count}, k))
                k += 1 + k // 5
            for which, k in ranks + [({"share": 1}, count)] * by_share:
                yield line(s.name, "fpr by article", "ratio", {**kind, **which}, value=ordered[k - 1],
                           theory=expected and expected.highest(k), count=count)
            yield line(s.name, "articles losing a tenth", "ratio", kind, value=(found >= 0.1).mean(),
                       theory=expected and expected.losing(), count=count)
            if rates is not None and found.std() > 0 and rates.std() > 0:
                value = round(float(np.corrcoef(found, rates)[0, 1]), 4)
                yield line(s.name, "correlation", "", kind, value=value, count=count)


def redrawn(run, users, single):
    values = {name: [] for name in ("p99", "worst")}
    for number in range(20):
        market = Market(run.seed + number, users, 5000, 1)
        count = len(market.measured)
        found = np.sort(market.ask(single, run.seed, False)[1] / market.unshown)[::-1]
        expected = theory(market, single, False)[0]
        for name in values:
            k = quantiles(count)[name]
            values[name].append((found[k - 1], expected.highest(k), number, count))
    for name, lines in values.items():
        value, expected = np.array([line[:2] for line in lines]).T
        for statistic, of in (("least", np.min), ("mean", np.mean), ("most", np.max)):
            lines.append((of(value), of(expected), statistic, 20))
        for value, expected, draw_, count in lines:
            dimensions = {"exponent": 1, "catalogue": 5000, "salt": "none", "statistic": name, "draw": draw_}
            yield row("popularity", "single", "fpr by article", "ratio", dimensions, value=value, theory=expected, count=count)
