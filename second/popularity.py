"""The experiment popularity of docs/rows.md: IDs that all users share, drawn by rank, with and without a salt."""
import hashlib

import numpy as np

import structures
from hashing import A, ARTICLES, B, G, POPULAR, U, draw, hi, key, mix, positions, stream, u64
from rows import clopper_pearson, row, student, variance
from workload import Histories

SHOWN, ORDERED = 500, 600
STEPS = 100_000  # of theory by article: a rate is so many steps of 1e-5


def salted(seed, user, x):
    """The IDs x under the salts of the users; both broadcast."""
    digest = hashlib.sha256(f"the salts of seed {seed}".encode()).digest()
    k0, k1 = (u64(int.from_bytes(digest[i:i + 8], "little")) for i in (0, 8))

    def fold(x, y):
        return hi(x, y) ^ (x * y)
    b = fold(u64(user) ^ k0, k1 | U(1))
    c = fold(b ^ k1, k0 | U(1))
    x = x ^ b
    x = (x ^ (x >> U(32))) * A
    x = (x ^ (x >> U(29)) ^ c) * B
    return x ^ (x >> U(32))


def blocks(users, width, most=400_000):
    """The users in blocks whose tables of so many columns are small."""
    return np.array_split(users, min(len(users), max(1, len(users) * width // most)))


class Market:
    """A market, what every user is shown of it, and the measured articles, with the users each was not shown to."""

    def __init__(self, seed, users, n, exponent):
        self.n, self.exponent, self.user = n, exponent, np.arange(users)
        weight = np.floor(2.0**32 * np.arange(1.0, n + 1) ** -exponent + 0.5)
        self.share, ends = weight / weight.sum(), np.cumsum(weight.astype(U))
        self.ids = draw(key(seed, 0, ARTICLES) + u64(np.arange(1, n + 1)) * G)
        # No article has a shorter range than 2^shift, so that at most one begins inside a piece as long.
        shift = U(int(np.log2(weight[-1])))
        piece = np.searchsorted(ends, np.arange((ends[-1] >> shift) + U(1), dtype=U) << shift, "right")
        start, self.order = key(seed, self.user, POPULAR), np.zeros((users, ORDERED), int)
        asked, shown = np.arange(0, n, max(1, n // 5000)), []
        for block in blocks(self.user, n):
            left, draws = block, 2 * ORDERED
            while len(left):
                line, number = np.arange(len(left))[:, None], np.arange(draws)
                drawn = hi(stream(start[left, None], number + 1), ends[-1:])
                found = piece[(drawn >> shift).astype(int)]
                found += ends.take(found) <= drawn
                when = np.zeros((len(left), n), np.int32)
                when[line, found[:, ::-1].copy()] = number[::-1]  # an article's first draw is written last
                new = when[line, found] == number
                done = new.sum(axis=1) >= ORDERED
                new &= (np.cumsum(new, axis=1) <= ORDERED) & done[:, None]
                self.order[left[done]] = found[new].reshape(-1, ORDERED)
                left, draws = left[~done], 2 * draws
            was = np.zeros((len(block), n), bool)
            was[np.arange(len(block))[:, None], self.order[block, :SHOWN]] = True
            shown.append(was[:, asked])
        unshown = ~np.concatenate(shown)
        kept = 2 * unshown.sum(axis=0) >= users
        self.measured, self.new, self.unshown = asked[kept], unshown[:, kept], unshown.sum(axis=0)[kept]

    def ask(self, structure, seed, salt):
        """Hits of each user's candidates, and of each measured article among the users it was not shown to."""
        def ids_of(user, articles):
            return salted(seed, user[:, None], self.ids[articles]) if salt else self.ids[articles]
        user, hits = self.user, 0
        state = structure.record(Histories(ids_of(user, self.order[:, :SHOWN]).ravel(), SHOWN * user, 0 * user + SHOWN))
        for block in blocks(user, len(self.measured), 50_000):
            hits = hits + (state.seen(ids_of(block, self.measured[None, :]), block) & self.new[block]).sum(axis=0)
        return state.seen(ids_of(user, self.order[:, SHOWN:]), user), hits

    def chances(self, n):
        """Theory by article: chances(n), by Newton's method, which rises to its t."""
        t, step = float(n), 1.0
        while n and step > 1e-13 * t:
            missed = np.exp(-t * self.share)
            step = (n - (1 - missed).sum()) / (self.share * missed).sum()
            t += step
        return -np.expm1(-t * self.share)

    def rates(self, m, k, links, size):
        """Theory by article: the rate of each measured article, without a salt."""
        places, missed = np.array(positions(mix(self.ids), m, k)), 1
        once = np.array([~np.any(places[:i] == p, axis=0) for i, p in enumerate(places)])
        for j in range(links):
            p = np.minimum(self.chances((j + 1) * size) - self.chances(j * size), 1 - 1e-12)
            log = np.log1p(-p)
            unset = np.bincount(places.ravel(), (once * log).ravel(), m)
            of_others = np.minimum(0, unset[places[:, self.measured]] - log[self.measured])
            missed = missed * (1 - np.where(once[:, self.measured], -np.expm1(of_others), 1).prod(axis=0))
        return 1 - missed


class Expected:
    """Theory by article: the expected number of articles by the measured rate, for the rate p of each over w users."""

    def __init__(self, p, w, articles=1):
        p, w, articles = np.broadcast_arrays(p, w, articles)
        factorial = np.append(0, np.cumsum(np.log(np.arange(1, w.max() + 1))))
        mode = np.floor((w + 1) * p).astype(int)
        self.mean, self.articles = np.average(p, weights=articles), articles.sum()
        log = factorial[w] - factorial[mode] - factorial[w - mode] + mode * np.log(np.where(mode, p, 1))
        top, self.steps = np.exp(log + (w - mode) * np.log1p(-p)), 0
        self.add(mode, w, top * articles)
        for step in (1, -1):
            h, chance, odds, of, many = mode, top, p / (1 - p), w, articles
            while len(h):
                chance = chance * ((of - h) / (h + 1) * odds if step > 0 else h / (of - h + 1) / np.where(h, odds, 1))
                h, chance, odds, of, many = (x[chance >= 1e-12] for x in (h + step, chance, odds, of, many))
                self.add(h, of, chance * many)
        self.from_top = np.cumsum(self.steps[::-1])

    def add(self, h, w, chance):
        self.steps = self.steps + np.bincount(np.floor(h / w / 1e-5 + 0.5).astype(int), chance, STEPS + 1)

    def highest(self, k):
        return (STEPS - np.searchsorted(self.from_top, k - 1 / 3)) * 1e-5

    def losing(self):
        return self.from_top[STEPS - 10_000] / self.articles


def theory(market, s, salt):
    """Theory by article, and the rates of each; without a salt single and chain alone have them."""
    if salt:
        return Expected(s.rate[SHOWN], *np.unique(market.unshown, return_counts=True)), None
    if s.name not in ("single", "chain"):
        return None, None
    links = s.slots[0]
    rates = market.rates(s.parts[0].m, s.parts[0].k, links, SHOWN // links)
    return Expected(rates, market.unshown), rates


def quantiles(n):
    return {"p90": (n + 9) // 10, "p99": (n + 99) // 100, "worst": 1}


def candidates_rate(market, hits):
    """fpr: a rate whose interval is clustered by user and by article."""
    asked = market.order[:, SHOWN:]
    total, found = hits.size, int(hits.sum())
    f, by_user = found / total, (np.full(len(hits), asked.shape[1]), hits.sum(axis=1))
    group = (market.ids[asked] * G >> U(52)).astype(int).ravel()
    groups = np.array([np.bincount(group), np.bincount(group, hits.ravel())], int)
    groups = groups[:, groups[0] > 0]
    if min(len(hits), groups.shape[1]) < 30:
        return dict(value=f, count=len(hits))
    if min(found, total - found) < 30:
        low, high = clopper_pearson(found, total)
    else:
        spread = variance(*by_user) + max(0, variance(*groups) - f * (1 - f) / total)
        e = student(min(len(hits), groups.shape[1]) - 1) * spread**0.5
        low, high = max(0, f - e), min(1, f + e)
    return dict(value=f, low=low, high=high, count=total)


def popularity(run):
    users, every = min(2000, run.users), structures.all_structures()
    some = [s for s in every if s.name in ("single", "chain")]
    kinds = [(5000, 1, every), *((5000, a, some) for a in (0.6, 0.8, 1.2)), (50_000, 1, some), (1_000_000, 1, some)]
    for n, exponent, asked in kinds:
        yield from of_market(run.seed, Market(run.seed, users, n, exponent), asked, asked is every)
    redrawn = {"p99": [], "worst": []}
    for number in range(20):
        market = Market(run.seed + number * int(G) & 2**64 - 1, users, 5000, 1)
        found = np.sort(market.ask(some[0], run.seed, False)[1] / market.unshown)[::-1]
        expected, n = theory(market, some[0], False)[0], len(found)
        for name, lines in redrawn.items():
            k = quantiles(n)[name]
            lines.append((number, found[k - 1], expected.highest(k), n))
    for name, lines in redrawn.items():
        _, values, theories, _ = zip(*lines)
        over_all = (("least", min), ("mean", np.mean), ("most", max))
        lines += [(statistic, of(values), of(theories), 20) for statistic, of in over_all]
        for number, value, expected, n in lines:
            at = {"exponent": 1, "catalogue": 5000, "salt": "none", "statistic": name, "draw": number}
            yield row("popularity", "single", "fpr by article", "ratio", at, value=value, theory=expected, count=n)


def of_market(seed, market, asked, by_share):
    def line(strategy, quantity, unit="", more=None, **numbers):
        at = {"exponent": market.exponent, "catalogue": market.n, **(more or {})}
        return row("popularity", strategy, quantity, unit, at, **numbers)
    n, w = len(market.measured), market.unshown
    yield line("", "users", value=len(market.user))
    yield line("", "articles", value=n)
    yield line("", "unshown users", "", {"statistic": "least"}, value=w.min())
    yield line("", "unshown users", "", {"statistic": "mean"}, value=w.mean())
    ranks, k = [({"statistic": name}, k) for name, k in quantiles(n).items()], 1
    while by_share and k < n:
        ranks.append(({"share": k / n}, k))
        k += 1 + k // 5
    ranks += [({"share": 1}, n)] * by_share
    for s, salt in ((s, salt) for s in asked for salt in ("none", "user")):
        hits, by_article = market.ask(s, seed, salt == "user")
        expected, rates = theory(market, s, salt == "user")
        found, at = by_article / w, {"salt": salt}
        ordered = np.sort(found)[::-1]
        yield line(s.name, "fpr", "ratio", at, theory=s.rate[SHOWN], **candidates_rate(market, hits))
        yield line(s.name, "fpr by article", "ratio", {**at, "statistic": "mean"}, value=found.mean(),
                   theory=expected and expected.mean, count=n)
        for which, k in ranks:
            yield line(s.name, "fpr by article", "ratio", {**at, **which}, value=ordered[k - 1],
                       theory=expected and expected.highest(k), count=n)
        yield line(s.name, "articles losing a tenth", "ratio", at, value=np.mean(found >= 0.1),
                   theory=expected and expected.losing(), count=n)
        if rates is not None and found.std() > 0 and rates.std() > 0:
            yield line(s.name, "correlation", "", at, value=round(np.corrcoef(found, rates)[0, 1], 4), count=n)
