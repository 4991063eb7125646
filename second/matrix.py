"""The closed links of second/spec/structures.md, matrix, eight slots a row."""
import numpy as np

from workload import P, mix, u64

SLOTS, OF = 8, 50  # links, and articles of each
xor = np.bitwise_xor.reduce

def answers(mixed, count, asked):
    """What Filter.answers returns: whether a link agrees with each article asked."""
    closed = count[:, None] // OF - 1
    n = closed - (closed - np.arange(SLOTS)) % SLOTS  # the link in each slot
    place = (np.cumsum(count) - count)[:, None, None] + OF * n[:, :, None] + np.arange(OF)
    keys = mixed.take(place, mode="clip").reshape(-1, OF) >> 47
    seeds, sums = solve(keys, np.tile(np.arange(SLOTS), len(n)))
    byte = np.arange(256, dtype=np.uint16)
    table = xor([sums[:, bit::8, None] * (byte >> bit & 1) for bit in range(8)])
    table[(n < 0).ravel(), 0] = 512  # an empty slot agrees with nothing
    x, found = mix(asked >> 47), False
    for slot in range(SLOTS):
        link = np.arange(slot, len(keys), SLOTS)
        w, line = product(x, seeds[link], slot), 8 * link[:, None]
        parts = [table.take(256 * (line + i) + (w >> 8 * i & 255).astype(int)) for i in range(8)]
        found |= xor(parts) == 0
    return found, 0

def product(x, seed, slot):
    """The page's w of mixed keys, a line for each link."""
    often, rarely = ((mix(u64(s)) + u64(256 * slot)) * P | 1 for s in (seed // 32, 256 + seed))
    w = x * np.where(x >> 62 == 0, rarely[:, None], often[:, None])
    return w ^ (w >> 32)

def solve(keys, slot):
    """The seed of each link, and what each bit of w has.

    That is nine bits, one for each column of the link: for a bit of the row the column's, for one
    of the fingerprint itself. A link agrees if those of the set bits add up to 0.
    """
    keys = np.sort(np.where(mix(keys) >> 62 == 0, keys + 2**17, keys), axis=1) % 2**17
    mixed, again = mix(keys), np.diff(keys, axis=1, prepend=2**17) == 0
    seeds, sums, left = 0 * slot, np.zeros((len(keys), 64), np.uint16), np.arange(len(keys))
    for seed in range(255):
        w = np.where(again[left], 0, product(mixed[left], seed, slot[left])).T.copy()
        pivots, rows = np.zeros_like(w), np.arange(OF)[:, None]
        for i, row in enumerate(w):
            pivots[i] = row & (~row + 1) & (2**OF - 1)
            w ^= np.where((w & pivots[i] > 0) & (rows != i), w[i], 0)
        done = np.all((pivots > 0) | again[left].T, axis=0)
        i, link = np.nonzero((pivots > 0) & done)
        sums[left[link], np.log2(pivots[i, link]).astype(int)] = w[i, link] >> 55
        sums[left[done], 55:] = 1 << np.arange(9)
        seeds[left[done]], left = seed, left[~done]
    return seeds, sums
