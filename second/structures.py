"""The structures of second/spec/workload.md and second/spec/structures.md: what they hold, answer and expect."""
from functools import partial, reduce
from types import SimpleNamespace

import numpy as np

import matrix
from theory import any_of, asymptotic, exact, fill, one
from workload import P, mix, positions, ranges

R = np.arange(3001)  # tables are by articles recorded, 0 to 3000: a life of 2400, and 600 more in extend
PLAIN = {"asymptotic": None, "fill": None}

class Filter(SimpleNamespace):
    """Bloom filters m/k. Lane j, which is bit j of a table, holds the articles first[j] to
    last[j]-1, by articles recorded. A silent first lane does not answer; used lanes are there."""
    used, silent, scheme = 1, 0, staticmethod(positions)

    def answers(self, mixed, count, asked):
        lanes, places = len(self.first), self.scheme(mixed, self.m, self.k)
        table = np.zeros((len(count), self.m), np.min_scalar_type(2**lanes - 1))
        begin = np.cumsum(count) - count
        for lane, (first, last) in enumerate(zip(self.first[:, count], self.last[:, count])):
            row, at = ranges(begin + first, last - first)
            for place in places:
                table[row, place[at]] |= table.dtype.type(1 << lane)
        start = self.m * np.arange(len(count))[:, None]
        found = (table.take(start + place) for place in self.scheme(asked, self.m, self.k))
        set_bits = sum(np.count_nonzero(table & (1 << lane), axis=1) for lane in range(lanes))
        return reduce(np.bitwise_and, found) >> self.silent != 0, set_bits

class Newest(Filter):
    """A list of IDs: its closed forms are those of a filter with a bit for each ID there can be."""
    m, k = 2.0**64, 1

    def answers(self, mixed, count, asked):
        asked, ends = np.broadcast_to(asked, (len(count), asked.shape[1])), np.cumsum(count)
        starts = ends - count + self.first[0, count]
        seen = [np.isin(line, mixed[start:end]) for line, start, end in zip(asked, starts, ends)]
        return np.array(seen), 0

def answers(s, mixed, count, asked):
    """Which IDs asked s reports, by row, and set bits, after count[row] of the mixed IDs each."""
    seen, bits = zip(*(part.answers(mixed, count, mix(asked)) for part in s.parts))
    return np.any(seen, axis=0), sum(bits)

def ask(run, s, user, first, count, asked):
    """What s answers of a user's articles asked, after count articles from number first on."""
    row, i = ranges(first, count)
    return answers(s, mix(run.ids(user[row], i)), count, run.ids(user[:, None], asked))

def up(a, b):
    """a/b rounded up."""
    return -(-a // b)

def generations(g, n):
    """Articles in the young generation, and full ones."""
    return ((R - 1) % g + 1) * (R > 0), np.clip((R - 1) // g, 0, n - 1)

def newest(n, **more):
    """One lane, of the newest n articles."""
    return {"first": (R - n)[None], "last": R[None], **more}

def of(name, header, size, parts, **more):
    """A structure: tables by articles recorded, and parts; it reports what one of them does.

    What more does not have follows from the lanes of the parts. certain: above which age, and up to
    which, articles are reported.
    """
    reach = sum((part.last - part.first).sum(axis=0) for part in parts)
    if "rate" not in more:
        lanes = [(part.m, part.k, (part.last - part.first)[part.silent:]) for part in parts]
        rough = any_of(*(asymptotic(m, k, n) for m, k, counts in lanes for n in counts))
        rate = any_of(*(exact(m, k, *counts) for m, k, counts in lanes))
        more = {"rate": rate, "asymptotic": rough, **more}
    if "fill" not in more:
        bits = np.maximum(1, sum(f.m * f.used for f in parts))
        more["fill"] = sum(f.m * fill(f.m, f.k, f.last - f.first).sum(axis=0) for f in parts) / bits
    known = {"window": reach, "certain": (0 * R, reach), "bytes": np.where(R > 0, size, 0),
             "share": 100 if "/" in name else 40 if "-" in name else 1, **more}
    return SimpleNamespace(name=name, header=header, parts=parts, **known)

def queue(w=500):
    size = 8 * np.minimum(w, 50 * up(np.minimum(R, w), 50)) + 4
    return of("queue", 4, size, [Newest(**newest(np.minimum(R, w)))], **PLAIN)

def single(name, m, k, header=0, size=None):
    return of(name, header, size or up(m, 8), [Filter(m=m, k=k, **newest(R))])

def dual(name, m=4064, n=500, x=300, blanked=False):
    h = np.where(R < n, R, n - x + (R - n) % x)
    both = (h >= x) | (blanked & (R >= n))
    return of(name, 4, up(m * (1 + both), 8) + 4, [Filter(m=m, k=6, **newest(h))])

def chain(name, m=812, k=6, c=100, l=5, eager=False, literal=False):
    head, full = generations(c, l)
    if eager:
        head, full = np.where(R >= l * c, R % c, head), np.where(R >= l * c, l - 1, full)
    first = np.maximum(R - head - c * np.arange(l)[:, None], 0)
    links = Filter(m=m, k=k, first=first, last=np.vstack([R, first[:-1]]), used=full + 1,
                   silent=int(literal))
    more = {"window": 0 * R, "certain": (head, head + c * full)} if literal else {}
    return of(name, 4, up(m * (full + 1), 8) + 4, [links], **more)

def scalable():
    filters, size, start = [], 3, 0
    stages = (290, 7), (618, 8), (1314, 8), (2784, 9), (5890, 9), (12410, 10), (26117, 10)
    for i, (m, k) in enumerate(stages):
        used, end, scheme = R > start, start + 27 * 2**i, partial(positions, factor=P ** (32 * i))
        first, last = np.minimum(R, start)[None], np.minimum(R, end)[None]
        filters.append(Filter(m=m, k=k, first=first, last=last, used=used, scheme=scheme))
        size, start = size + used * up(m, 8), end
    return of("beyond/scalable", 3, size, filters)

def confirmed():
    older, old = np.maximum(R - 100, 0), chain("", 714, 8, 60, 6)
    links, recent = old.parts[0], Newest(**newest(np.minimum(R, 100)))
    links.first, links.last = links.first[:, older], links.last[:, older]
    size = 4 + 200 * up(np.minimum(R, 100), 25) + old.bytes[older]
    return of("beyond/confirmed", 8, size, [links, recent], fill=None)

def fingerprints():
    """A list of them, matrix' head as well, answers as a filter with a bit for each value."""
    last = np.minimum(R, 400)
    s48 = np.minimum(48 * up(last, 48), 400)
    ring = up(43 * (s48 // 3) + np.array([0, 15, 29])[s48 % 3], 8) + 3
    last = Filter(m=19800, k=1, **newest(last, scheme=partial(positions, factor=P)))
    links, step = np.minimum(R // 50, 8), np.digitize(R, [1, 8, 14, 26, *range(50, 351, 50)])
    room = np.minimum(2 * up(R % 50, 2), 49)
    full = 461 + up(room + 64, 8) + up(11 * room, 8)
    size = np.array([0, 22, 31, 50, 86, 144, 201, 258, 315, 373, 430, 487])[step]
    size = np.where(R < 350, size, np.where(R < 400, np.minimum(full, 487), full))
    head = Filter(m=2**17, k=1, **newest(R % 50))
    closed = Filter(answers=matrix.answers, first=head.first - 50 * links, last=head.first)
    rate = any_of(one(50 * links + R % 50, 2**17), one(links, 2**9))
    return [of("beyond/ring", 3, ring, [last], **PLAIN),
            of("beyond/matrix", 3, size, [head, closed], rate=rate, **PLAIN)]

STRUCTURES = {s.name: s for s in (
    queue(), single("single", 4064, 6), dual("dual"), chain("chain"),
    dual("dual-blanked", blanked=True), chain("chain-literal", literal=True),
    chain("chain-eager", eager=True), chain("chain-sized", 1150, 8),
    chain("beyond/chain-best", 713, 9, 57, 8), single("beyond/counting", 3263, 6, 0, 1632),
    single("beyond/sized", 2040, 6, 1, 256), confirmed(), scalable(),
    *fingerprints())}
