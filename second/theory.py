"""Closed forms of docs/rows.md and docs/structures.md; n, articles, is a number or an array."""
from bisect import bisect_left
from functools import lru_cache

import numpy as np

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

def different(m, k):
    """D(d), d = 0..k: the chance that k uniform positions in m are d different ones."""
    d, chance = np.arange(k + 1), np.eye(1, k + 1)[0]
    for _ in range(k):
        chance = (chance * d + np.append(0, chance[:-1]) * (m - d + 1)) / m
    return chance

def all_set(m, k, n, share=1):
    """S(n, d) as [..., d], where each article comes with chance share.

    It is the sum of the page, without differences: the chance that a Markov chain ends at 0, whose
    state is how many of d given positions are unset.
    """
    d = np.arange(k + 1)
    position = np.diag(1 - d / m) + np.diag(d[1:] / m, -1)
    article = np.linalg.matrix_power(position, k)
    step = (1 - share) * np.eye(k + 1) + share * article
    return np.minimum(after(np.eye(1, k + 1)[0], step.T, n), 1)

def exact(m, k, *counts, filters=1, share=1):
    """exact(n1, n2, ...) of the page; with filters, as many with each of these counts."""
    missed = filters * sum(np.log1p(-all_set(m, k, n, share)[..., 1:]) for n in counts)
    return -np.expm1(missed) @ different(m, k)[1:]

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

def blocked_asymptotic(blocks, m, k, r):
    """structures.md, blocked: the mean over the Poisson distribution of the articles in a block."""
    n, mean = np.arange(1, r.max() + 1), r[:, None] / blocks
    chance = np.exp(n * np.log(mean) - mean - np.cumsum(np.log(n)))
    return chance @ asymptotic(m, k, n)

def in_a_row(shares):
    """structures.md, apbf: chance of ten matches in a row; shares by slice, youngest first."""
    row, done = np.zeros((10,) + shares[0].shape), 0
    row[0] = 1
    for p in shares:
        done = done + row[9] * p
        row = np.concatenate([[row.sum(axis=0) * (1 - p)], row[:9] * p])
    return done

def faded(shares, ages):
    """structures.md, apbf: chance by age, of the slices' shares after 501 to 510 articles."""
    first = np.maximum(0, ages - np.arange(1, 11)[:, None] + 9) // 10
    known = np.arange(50)[:, None, None] >= first
    chance = in_a_row(np.where(known, 1, shares[:, :, None])).mean(axis=0)
    return np.where(ages <= 401, 1, chance)
