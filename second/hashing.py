"""Random numbers, mixing and positions of docs/workload.md, over numpy arrays of unsigned integers of 64 bits."""
import numpy as np

np.seterr(over="ignore", divide="ignore", invalid="ignore")
U = np.uint64
G, A, B, P = U(0x9E3779B97F4A7C15), U(0xD6E8FEB86659FD93), U(0x9FB21C651E98DF25), U(0xD1342543DE82EF95)
LOW = U(2**32 - 1)
ORDER, LIFE, REQUEST, VISITS, ARTICLES, POPULAR = 1, 2, 3, 4, 6, 7  # purposes


def u64(x):
    """x as an array of unsigned integers; negative ones wrap."""
    return np.atleast_1d(np.asarray(x)).astype(U)


def draw(x):
    x = u64(x)
    for _ in range(2):
        x = (x ^ (x >> U(32))) * A
    return x ^ (x >> U(32))


def key(seed, user, purpose):
    return draw(draw(u64(seed) + u64(purpose) * G) + u64(user) * G)


def stream(start, i):
    return draw(start + u64(i) * G)


def below(u, n):
    return ((u >> U(32)) * u64(n) >> U(32)).astype(np.int64)


def pick(seed, user, step, n):
    return below(draw(key(seed, user, REQUEST) + u64(np.asarray(step) + 1) * G), n)


def hi(x, m):
    """The high word of the product x*m; m is a number below 2^32, or an array."""
    if isinstance(m, int):
        high, low = x >> U(32), x & LOW
        low *= U(m)
        low >>= U(32)
        high *= U(m)
        high += low
        high >>= U(32)
        return high
    a, b, c, d = x >> U(32), x & LOW, m >> U(32), m & LOW
    middle = a * d + (b * d >> U(32))
    return a * c + (middle >> U(32)) + ((b * c + (middle & LOW)) >> U(32))


def mix(x):
    x = (x ^ (x >> U(32))) * A
    x = (x ^ (x >> U(29)) ^ G) * B
    return x ^ (x >> U(32))


def power(n):
    return U(pow(int(P), n, 2**64))


def positions(mixed, m, k):
    found, p = [], mixed
    while len(found) < k:
        x = p
        for _ in range(min(3 if m <= 2**18 else 2, k - len(found))):
            found.append(hi(x, m).astype(np.int64))
            x = x * U(m)
        p = p * P
    return found
