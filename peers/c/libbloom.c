/* libbloom answers the questions that ../README.md lists.

   The library takes bytes, so an article is its eight. It derives bits and hashes from at least a thousand articles and
   a rate. We ask for the fewest bits that come with the wanted number of hashes. */

#include <bloom.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHOWN = 500, REQUEST = 40, NEWEST = 100, LEAST = 1000, MOST = 1 << 18 };

/* A user's memory: links, of which the active one takes articles. When it is full, the oldest is cleared. */
struct memory {
	int active, count;
	struct bloom filters[];
};

static int links, articles, bits, hashes;

static struct bloom filter(void) {
	struct bloom f;
	double least = ceil(LEAST * (hashes - 1) / log(2) + 1); /* it takes ceil(ln 2 * bits / articles) hashes */
	if (bloom_init(&f, LEAST, exp(-fmax(bits, least) / LEAST * log(2) * log(2))) != 0)
		exit(1);
	return f;
}

static struct memory *newcomer(void) {
	struct memory *m = calloc(1, sizeof *m + links * sizeof *m->filters);
	for (int i = 0; i < links; i++)
		m->filters[i] = filter();
	return m;
}

static bool has(struct memory *m, uint64_t id) {
	for (int i = 0; i < links; i++)
		if (bloom_check(&m->filters[i], &id, sizeof id) == 1)
			return true;
	return false;
}

static void record(struct memory *m, const uint64_t *ids, int n) {
	for (; n > 0; ids++, n--, m->count++) {
		if (m->count == articles) {
			m->active = (m->active + 1) % links, m->count = 0;
			bloom_reset(&m->filters[m->active]);
		}
		bloom_add(&m->filters[m->active], ids, sizeof *ids);
	}
}

static long nanos(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000L * t.tv_sec + t.tv_nsec;
}

int main(int argc, char **argv) {
	static unsigned char keys[9 * MOST];
	static uint64_t ids[MOST];
	static bool seen[MOST];
	static struct memory **users;
	if (argc != 5)
		return 2;
	links = atoi(argv[1]), articles = atoi(argv[2]), bits = atoi(argv[3]), hashes = atoi(argv[4]);
	struct bloom f = filter();
	printf("%d %d\n", f.bits, f.hashes);
	char what[16], name[256];
	for (int n; fflush(stdout), scanf("%15s %d %255s", what, &n, name) == 3;) {
		FILE *file = fopen(name, "rb");
		long count = fread(keys, 1, sizeof keys, file) / 9, found = 0; /* a key is its length and its bytes */
		fclose(file);
		for (long i = 0; i < count; i++)
			memcpy(&ids[i], keys + 9 * i + 1, 8);
		long begin = nanos(), took = 0;
		if (strcmp(what, "users") == 0) {
			users = realloc(users, n * sizeof *users); /* earlier users are not asked any more */
			for (long u = 0; u < n; u++)
				record(users[u] = newcomer(), ids + u * SHOWN % count, SHOWN);
		} else if (strcmp(what, "ask") == 0) {
			for (long at = 0; at < count; at += REQUEST)
				for (long i = at; i < at + REQUEST; i++)
					seen[i] = has(users[at / REQUEST % n], ids[i]);
			took = nanos() - begin;
			for (long i = 0; i < count; i++)
				found += seen[i];
		} else if (strcmp(what, "record") == 0) {
			struct memory *m = newcomer();
			begin = nanos();
			record(m, ids, count);
			took = nanos() - begin;
			for (long i = count - NEWEST; i < count; i++)
				found += has(m, ids[i]);
			for (int i = 0; i < links; i++)
				bloom_free(&m->filters[i]);
			free(m);
		} else {
			struct bloom one = filter();
			unsigned char *key = keys, *own = keys;
			for (int i = 0; i < SHOWN; i++, key += 1 + *key)
				bloom_add(&one, key + 1, *key);
			for (int i = 0; i < SHOWN; i++, own += 1 + *own, key += 1 + *key) {
				found += bloom_check(&one, own + 1, *own) != 1;
				took += bloom_check(&one, key + 1, *key) == 1;
			}
			bloom_free(&one);
		}
		printf("%ld %ld\n", took, found);
	}
}
