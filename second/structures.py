"""The structures of docs/workload.md and docs/structures.md: what they hold, answer and expect."""
from copy import copy
from dataclasses import dataclass
from functools import reduce
from types import SimpleNamespace

import numpy as np

import theory
from theory import any_of, asymptotic, exact, fill, one
from workload import G, LOW, P, below, mix, positions, u64

R = np.arange(2401)  # tables are by articles recorded, 0 to 2400
NONE = 0 * R
AGES = np.arange(1001)
WITHOUT = {"asymptotic": None, "fill": None}

class Structure(SimpleNamespace):
    """Tables by articles recorded, and parts: it reports what one of them does.

    remembered: above which age, and up to which, if not from 1 to the window. fades: chance of
    being reported by age, for those that fade. slots: links in a ring, and articles in each.
    """
    forgets, asymptotic, fill, remembered, fades, slots = True, None, None, None, None, (1, 1)

    def record(self, histories):
        return Structure(**{**vars(self), "parts": [part(histories) for part in self.parts]})

    def seen(self, ids, rows):
        """Which IDs, a line for each of the recorded rows or one for all, are reported."""
        mixed = mix(ids)
        found = [part.seen(mixed, rows) for part in self.parts]
        return np.broadcast_to(np.any(found, axis=0), (len(rows), ids.shape[1]))

    def chance(self, lives):
        """window: chance that an article is reported, [life, age]."""
        if self.fades is not None:
            return np.broadcast_to(self.fades, (len(lives), len(AGES)))
        newest, oldest = (t[lives, None] for t in self.remembered or (NONE, self.window))
        return np.where((AGES > newest) & (AGES <= oldest), 1, self.rate[lives, None])

@dataclass
class Filters:
    """Bloom filters of one geometry. Lane j, which is bit j of a table's entries, holds the
    articles lanes[j][0][r] to lanes[j][1][r]-1. A silent first lane does not answer."""
    m: int
    k: int
    lanes: list
    used: np.ndarray = 1  # lanes there are
    silent: int = 0
    times: int = 1
    scheme: callable = positions

    def counts(self):
        return [last - first for first, last in self.lanes]

    def places(self, mixed):
        return self.scheme(mixed * self.times, self.m, self.k)

    def __call__(self, h):
        state, width = copy(self), np.min_scalar_type(2 ** len(self.lanes) - 1).type
        state.table, places = np.zeros(len(h.count) * self.m, width), self.places(h.mixed)
        for j, (first, last) in enumerate(self.lanes):
            row, at = h.spans(first[h.count], last[h.count])
            for p in places:
                state.table[row * self.m + p[at]] |= width(1 << j)
        return state

    def seen(self, mixed, rows):
        start = rows[:, None] * self.m
        bits = (self.table.take(start + p) for p in self.places(mixed))
        return reduce(np.bitwise_and, bits) >> self.silent != 0

    def set_bits(self):
        bits = np.unpackbits(self.table.view(np.uint8))
        return bits.reshape(-1, bits.size * self.m // self.table.size).sum(axis=1, dtype=int)

@dataclass
class Newest:
    """The newest size[r] articles, by a number that key makes of the mixed ID."""
    size: np.ndarray
    key: callable = lambda mixed: mixed

    def __call__(self, h):
        state, keys, sizes = copy(self), self.key(h.mixed), self.size[h.count]
        state.held = [keys[e - n:e] for e, n in zip(h.begin + h.count, sizes)]
        return state

    def seen(self, mixed, rows):
        asked = np.broadcast_to(self.key(mixed), (len(rows), mixed.shape[1]))
        return np.array([np.isin(line, self.held[row]) for row, line in zip(rows, asked)])

    def set_bits(self):
        return np.array([len(keys) for keys in self.held])

class Slices(Filters):
    """structures.md, apbf. Lane o is the slice o places from the youngest, of one hash alone: hash
    q has the positions from 142*q on."""

    def __call__(self, h):
        state, q = super().__call__(h), np.arange(10)
        first = ((h.count - 1) // 10 + 9)[:, None] - q
        lanes = u64(sum(1 << 10 * i for i in range(5))) << u64(first % 10)
        state.table = (state.table.reshape(-1, 10, 142) & lanes[:, :, None]).ravel()
        return state

    def seen(self, mixed, rows):
        start = rows[:, None] * self.m
        match = reduce(np.bitwise_or, (self.table.take(start + p) for p in self.places(mixed)))
        two = match & match >> 1
        four = two & two >> 2
        return four & four >> 4 & two >> 8 != 0

class Links:
    """structures.md, matrix: the closed links of 50 keys, eight slots a row.

    What a link makes of an article is w. Each bit of w has nine bits, one for each column of the
    link: the column's bit for one of the row, itself for one of the fingerprint. A link agrees if
    those of the set bits add up to 0. Tables have these sums for every byte of w.
    """

    def __init__(self, h):
        closed = h.count[:, None] // 50 - 1
        n = closed - (closed - np.arange(8)) % 8  # the link in each slot
        place = (h.begin[:, None] + 50 * n)[:, :, None] + np.arange(50)
        keys = h.mixed.take(place, mode="clip").reshape(-1, 50) >> 47
        self.multipliers, bits = solve(keys, np.tile(np.arange(8), len(n)))
        self.table = np.zeros((len(keys), 8, 1), np.uint16)
        for bit in range(8):
            sums = self.table ^ bits[:, bit::8, None]
            self.table = np.concatenate([self.table, sums], axis=2)
        self.table[(n < 0).ravel(), 0] = 512  # an empty slot agrees with nothing

    def seen(self, mixed, rows):
        x, found = mix(mixed >> 47), False
        for slot in range(8):
            link = rows[:, None] * 8 + slot
            w = product(x, *self.multipliers[:, link])
            sums = (self.table.take((link * 8 + i) * 256 + (w >> 8 * i & 255).astype(int))
                    for i in range(8))
            found |= reduce(np.bitwise_xor, sums) == 0
        return found

def product(x, often, seldom):
    w = x * np.where(x >> 62 == 0, seldom, often)
    return w ^ (w >> 32)

def solve(keys, slot):
    """structures.md, matrix: the multipliers of each link, and what each bit of w has."""
    mixed = mix(keys)
    order = np.argsort(((mixed >> 62 == 0) << 17) + keys, axis=1)
    keys, mixed = (np.take_along_axis(x, order, axis=1) for x in (keys, mixed))
    once = np.diff(keys, axis=1, prepend=2**17) != 0
    multipliers, bits = np.zeros((2, len(keys)), np.uint64), np.zeros((len(keys), 64), np.uint16)
    bits[:, 55:] = 1 << np.arange(9)
    left = np.arange(len(keys))
    for seed in range(255):
        d = mix(u64([seed // 32, 256 + seed]))[:, None]
        tried = (d + u64(256 * slot[left])) * P | 1
        w = np.where(once[left], product(mixed[left], *tried[:, :, None]), 0).T.copy()
        pivots = np.zeros_like(w)
        for i in range(50):
            row = w[i] & (2**50 - 1)
            pivots[i] = row & (~row + 1)
            others = np.where(w & pivots[i] > 0, w[i], 0)
            others[i] = 0
            w ^= others
        done = np.all((pivots > 0) | ~once[left].T, axis=0)
        multipliers[:, left[done]] = tried[:, done]
        i, link = np.nonzero((pivots > 0) & done)
        bits[left[link], np.log2(pivots[i, link]).astype(int)] = w[i, link] >> 55
        left = left[~done]
    return multipliers, bits

def length(m, filters=1):
    return (filters * m + 7) // 8

def up(a, b):
    """a/b rounded up."""
    return -(-a // b)

def of(name, share, header, window, size, parts, **more):
    """A structure with the theory of its filters, in place of which more may have another."""
    filters = [part for part in parts if isinstance(part, Filters)]
    lanes = [(f.m, f.k, n) for f in filters for n in f.counts()]
    answering = [(f.m, f.k, n) for f in filters for n in f.counts()[f.silent:]]
    bits = NONE + sum(f.m * f.used for f in filters)
    known = {
        "bits": bits, "fill": sum(m * fill(m, k, n) for m, k, n in lanes) / np.maximum(bits, 1),
        "rate": any_of(*(exact(f.m, f.k, *f.counts()[f.silent:]) for f in filters)),
        "asymptotic": any_of(*(asymptotic(*lane) for lane in answering))}
    return Structure(name=name, share=share, header=header, window=window, parts=parts,
                     bytes=np.where(R > 0, size, 0), **{**known, **more})

def newest(m, k, n, **more):
    """A filter of the newest n articles."""
    return Filters(m, k, [(R - n, R)], **more)

def single(name, m, k, share=1, header=0, size=None):
    return of(name, share, header, R, size or length(m), [newest(m, k, R)], forgets=False)

def dual(name, m=4064, n=500, x=300, share=1, blanked=False):
    h = np.where(R < n, R, n - x + (R - n) % x)
    both = (h >= x) | (blanked & (R >= n))
    return of(name, share, 4, h, length(m, 1 + both) + 4, [newest(m, 6, h)])

def generations(g, n, r=R):
    """Articles in the young generation, and full ones."""
    return ((r - 1) % g + 1) * (r > 0), np.clip((r - 1) // g, 0, n - 1)

def links(m, k, c, l, eager=False, silent=0, r=R):
    """A chain's filters, the head first; articles in the head, and links that are full."""
    head, full = generations(c, l, r)
    if eager:
        head, full = np.where(r >= l * c, r % c, head), np.where(r >= l * c, l - 1, full)
    ends = [r - head - j * c * (full > j) for j in range(l - 1)]
    older = [(end - c * (full > j), end) for j, end in enumerate(ends)]
    return Filters(m, k, [(r - head, r)] + older, full + 1, silent), head, full

def chain(name, m=812, k=6, c=100, l=5, share=1, eager=False, literal=False):
    filters, head, full = links(m, k, c, l, eager, int(literal))
    certain, size = (head, head + full * c), length(m, full + 1) + 4
    window, remembered = (NONE, certain) if literal else (certain[1], None)
    return of(name, share, 4, window, size, [filters], remembered=remembered, slots=(l, c))

def queue(w=500):
    held = np.minimum(R, w)
    size = 8 * np.minimum(w, 50 * up(held, 50)) + 4
    return of("queue", 1, 4, held, size, [Newest(held)], rate=one(held, 2**64), **WITHOUT)

def scalable():
    filters, start, size = [], 0, 3
    stages = (290, 7), (618, 8), (1314, 8), (2784, 9), (5890, 9), (12410, 10), (26117, 10)
    for i, (m, k) in enumerate(stages):
        end, used = start + 27 * 2**i, R > start
        lane = np.minimum(R, start), np.minimum(R, end)
        filters.append(Filters(m, k, [lane], used, times=pow(P, 32 * i, 2**64)))
        start, size = end, size + used * length(m)
    return of("beyond/scalable", 100, 3, R, size, filters, forgets=False)

def confirmed():
    filters, head, full = links(714, 8, 60, 6, r=np.maximum(R - 100, 0))
    held = np.minimum(R, 100)
    size = 4 + 200 * up(held, 25) + (R > 100) * (length(714, full + 1) + 4)
    s = of("beyond/confirmed", 100, 8, held + head + 60 * full, size, [filters, Newest(held)])
    s.rate, s.asymptotic = (any_of(rate, one(held, 2**64)) for rate in (s.rate, s.asymptotic))
    s.fill = None
    return s

def blocked():
    def scheme(mixed, m, k):
        x = (mixed ^ G) * P
        block, x = below(x, 7), (x ^ (x >> 32)) * P
        return [block * 512 + (x >> 9 * i & 511).astype(int) for i in range(k)]
    return of("beyond/blocked", 100, 0, R, 448, [newest(3584, 4, R, scheme=scheme)], forgets=False,
              rate=exact(512, 4, R, share=1 / 7), fill=one(R, 7 / one(4, 512)),
              asymptotic=theory.blocked_asymptotic(7, 512, 4, R))

def apbf():
    def scheme(mixed, m, k):
        words = [mixed * pow(P, i, 2**64) for i in range(1, 6)]
        halves = [half for y in words for half in (y, y << 32)]
        return [142 * q + below(half, 142) for q, half in enumerate(halves)]
    lanes, (young, full) = [], generations(10, 41)
    for o in range(50):
        s = (R - 1) // 10 + 9 - o
        first = 10 * np.maximum(s - 9, 0)
        lanes.append((first, np.clip(10 * (s + 1), first, R)))
    slices, bits = Slices(1420, 10, lanes, scheme=scheme), 1420 * np.minimum((R + 189) // 100, 5)
    articles = np.array(slices.counts())
    shares, rough = one(articles, 142), asymptotic(142, 1, articles)
    return of("beyond/apbf", 100, 3, young + 10 * full, up(bits, 8) + 3, [slices], bits=bits,
              rate=theory.in_a_row(shares), asymptotic=theory.in_a_row(rough),
              fill=142 * shares.sum(axis=0) / bits, fades=theory.faded(shares[:, 501:511], AGES))

def matrix():
    full, begins = np.minimum(R // 50, 8), [1, 8, 14, 26, *range(50, 401, 50)]
    sizes = np.array([0, 22, 31, 50, 86, 144, 201, 258, 315, 373, 430, 487, 544])
    window, head = 50 * full + R % 50, Newest(R % 50, lambda mixed: mixed >> 47)
    return of("beyond/matrix", 100, 3, window, sizes[np.searchsorted(begins, R, "right")],
              [Links, head], rate=any_of(one(window, 2**17), one(full, 2**9)), **WITHOUT)

def every_structure():
    last, (young, full) = np.minimum(R, 400), generations(57, 8)
    in_57, s = young + 57 * full, 57 * (full + 1)
    s48 = np.minimum(48 * up(last, 48), 400)
    ring = up(43 * (s48 // 3) + np.array([0, 15, 29])[s48 % 3], 8) + 3
    return [
        queue(), single("single", 4064, 6), dual("dual"), chain("chain"),
        dual("dual-blanked", share=40, blanked=True),
        chain("chain-literal", share=40, literal=True),
        chain("chain-eager", share=40, eager=True), chain("chain-sized", 1150, 8, share=40),
        chain("beyond/chain-best", 713, 9, 57, 8, share=100),
        single("beyond/counting", 3263, 6, 100, 0, 1632),
        single("beyond/sized", 2040, 6, 100, 1, 256),
        confirmed(), scalable(), blocked(), apbf(), matrix(),
        # A list of fingerprints answers as a filter does that has a bit for each of their values.
        of("beyond/ring", 100, 3, last, ring, [newest(19800, 1, last, times=P)], **WITHOUT),
        of("beyond/quotient", 100, 3, in_57, up(s + 706, 8) + s + 3, [newest(22572, 1, in_57)],
           **WITHOUT)]
