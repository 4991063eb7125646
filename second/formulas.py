"""Closed forms of docs/rows.md and docs/structures.md. Tables are indexed by articles, 0 to the number asked for."""
from functools import lru_cache

import numpy as np


def coincide(m, k):
    """Closed forms: D(d), d = 0..k, the chance that k uniform positions in m are d different ones."""
    d, chance = np.arange(k + 1), np.eye(1, k + 1)[0]
    for _ in range(k):
        chance = (chance * d + np.append(0, chance[:-1]) * (m - d + 1)) / m
        chance[0] = 0
    return chance


def article(m, k):
    """Chances that one article of k positions brings the unset ones of d given positions from i to j, as [i, j].

    S(n, d) is then entry [d, 0] of the n-th power. It is the sum of the page, without differences.
    """
    d = np.arange(k + 1)
    return np.linalg.matrix_power(np.diag(1 - d / m) + np.diag(d[1:] / m, -1), k)


@lru_cache(None)
def covered(m, k, most):
    """Closed forms: S(n, d) as [n, d], n = 0..most."""
    step, powers = article(m, k), [np.eye(k + 1)]
    for _ in range(most):
        powers.append(powers[-1] @ step)
    return np.minimum(np.array(powers)[:, :, 0], 1) * (np.arange(most + 1) > 0)[:, None]


def exact(m, k, *counts):
    """Closed forms: exact(n1, n2, ...), each a number or an array of them."""
    table = covered(m, k, int(max(np.max(n) for n in counts)))
    return union(sum(np.log1p(-table[n]) for n in counts), coincide(m, k))


def union(log_missed, chances):
    """The sum over d >= 1 of D(d) * (1 - product of misses), from the product's logarithm."""
    return -np.expm1(log_missed[..., 1:]) @ chances[1:]


def exact_one(m, k, n, filters=1):
    """exact(n, ..., n) of a number of filters, for one large n."""
    all_set = np.minimum(np.linalg.matrix_power(article(m, k), n)[:, 0], 1)
    return float(union(filters * np.log1p(-all_set), coincide(m, k)))


def asymptotic(m, k, n):
    return (-np.expm1(-k * np.asarray(n) / m)) ** k


def fill(m, k, n):
    return -np.expm1(k * np.asarray(n) * np.log1p(-1 / m))


def any_of(rates):
    return -np.expm1(sum(np.log1p(-r) for r in rates))


def exact_sized(n, target, filters=1):
    """sizing: the fewest bits that meet the target with any of 1 to 64 hashes, and of these the fewest hashes."""
    best = (2**24 + 1, 0)
    for k in range(1, 65):
        few, many = 0, best[0] - 1  # many is to meet the target
        if exact_one(many, k, n, filters) > target:
            continue
        while many - few > 1:
            m = (few + many) // 2
            few, many = (few, m) if exact_one(m, k, n, filters) <= target else (m, many)
        best = (many, k)
    return best


def blocked(blocks, m, k, most):
    """structures.md, blocked: rate, asymptotic and fill, by articles."""
    n = np.arange(most + 1)
    inside, rough = exact(m, k, n), asymptotic(m, k, n)
    rate, mixture = np.zeros(most + 1), np.eye(1, most + 1)[0]
    for r in range(1, most + 1):
        mixture = mixture * (1 - 1 / blocks) + np.append(0, mixture[:-1]) / blocks
        rate[r] = mixture @ inside
    mean = n[1:, None] / blocks
    logs = n * np.log(mean) - mean - np.append(0, np.cumsum(np.log(n[1:])))
    return rate, np.append(0, np.exp(logs) @ rough), -np.expm1(n * np.log1p(-fill(m, k, 1) / blocks))


def in_a_row(shares):
    """structures.md, apbf: chance of ten matches in a row; shares by slice, from the youngest on."""
    row, done = np.zeros((11,) + shares[0].shape), 0
    row[0] = 1
    for p in shares:
        new = np.vstack([row[:10].sum(axis=0, keepdims=True) * (1 - p), row[:10] * p])
        done, row = done + new[10], np.vstack([new[:10], np.zeros_like(new[:1])])
    return done


def apbf(r, ages):
    """structures.md, apbf: rate, asymptotic and fill after r articles (an array), and the chance by age."""
    def shares(r):
        last = (r - 1) // 10
        s = last + 9 - np.arange(50)[:, None]
        first, final = np.maximum(s - 9, 0), np.minimum(s, last)
        n = 10 * (final - first + 1) - np.where(final == last, 9 - (r - 1) % 10, 0)
        return np.where((s >= np.maximum(0, last - 40)) & (r > 0), n, 0)

    def one(n):
        return -np.expm1(n * np.log1p(-1 / 142))

    n, lanes = shares(r), np.minimum((9 + (r - 1) // 10) // 10 + 1, 5)
    chance = np.ones(len(ages))
    late = ages > 401
    y = np.arange(1, 11)
    known = np.arange(50)[:, None, None] >= np.maximum(0, ages[late] - y[:, None] + 9) // 10
    chance[late] = in_a_row(np.where(known, 1, one(shares(500 + y))[:, :, None])).mean(axis=0)
    filled = np.where(r > 0, one(n).sum(axis=0) / (10 * lanes), 0)
    return in_a_row(one(n)), in_a_row(-np.expm1(-n / 142)), filled, chance


def stable(most, ages):
    """structures.md, stable: rate, asymptotic and fill, by articles, and the chance by age."""
    m, p, kron = 6425, 24, np.kron
    kept, lower, top = np.eye(4), np.eye(4)[[0, 0, 1, 2]], np.eye(4)[[3, 3, 3, 3]]  # what becomes of a cell's value
    above, chances = np.array([0, 1, 1, 1]), coincide(m, 4)
    neither = (1 - 2 / m) ** 4
    spared = (1 - 1 / m) ** 4
    alone = spared - neither
    one = (kept + p / m * (lower - kept)) @ (spared * kept + (1 - spared) * top)
    nodes = (p - 1) / m * (1 - np.cos(np.pi * np.arange(6) / 5)) / 2
    set_two = (neither * kron(kept, kept) + alone * (kron(top, kept) + kron(kept, top))
               + (1 - neither - 2 * alone) * kron(top, top))
    two = [((1 - 2 * p / m + b) * kron(kept, kept) + b * kron(lower, lower)
            + (p / m - b) * (kron(lower, kept) + kron(kept, lower))) @ set_two for b in nodes]
    apart = (p - np.arange(1, p)) / m
    weight = [2 * np.prod([(apart - x) / (node - x) for x in nodes if x != node], axis=0).sum() for node in nodes]
    weight[0] += m - 47

    def together(value, most):
        o = kept[value]
        b, filled, rates = [kron(o, o)] * 6, [], []
        for _ in range(most + 1):
            f = o @ above
            both = sum(w * (x @ kron(above, above)) for w, x in zip(weight, b)) / (m - 1)
            t = (both - f * f) / (f - both) if f > both else 0
            products = np.cumprod([(f + i * t) / (1 + i * t) for i in range(4)]) if f > both else f
            filled.append(f)
            rates.append(np.sum(chances[1:] * products))
            o, b = o @ one, [x @ y for x, y in zip(b, two)]
        return np.array(rates), np.array(filled)

    rate, filled = together(0, most)
    return rate, filled**4, filled, np.where(ages <= 3, 1, together(3, int(ages.max()))[0][np.maximum(ages - 1, 0)])
