/* libbloom answers the questions that ../README.md lists.

   The library takes bytes, so an article is its eight. It derives bits and hashes from at least a thousand articles and
   a rate; asked for are the fewest bits that come with as many hashes as wanted. */

#include <bloom.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHOWN = 500, REQUEST = 40, SEGMENT = 128, RECORDS = 1500, NEWEST = 100, LEAST = 1000 };

/* A user's memory: links that hold the given number of articles. The oldest is cleared when the newest is full. */
struct memory {
	long count;
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
		struct bloom *f = &m->filters[m->count / articles % links];
		if (m->count % articles == 0 && m->count >= links * articles)
			bloom_reset(f);
		bloom_add(f, ids, sizeof *ids);
	}
}

static long nanos(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000L * t.tv_sec + t.tv_nsec;
}

/* A file's keys, each as its length and its bytes, and its IDs, which are keys of eight bytes. */
static unsigned char *keys;
static size_t size;
static uint64_t ids[1 << 18];
static long count;

static void read_keys(const char *name) {
	FILE *f = fopen(name, "rb");
	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		exit(1);
	size = ftell(f);
	rewind(f);
	keys = realloc(keys, size);
	size = fread(keys, 1, size, f);
	fclose(f);
	for (count = 0; 9 * (size_t)count < size && keys[9 * count] == 8; count++)
		memcpy(&ids[count % (1 << 18)], keys + 9 * count + 1, 8);
}

static struct memory **users;
static long nusers;

static void show(long n) {
	users = realloc(users, n * sizeof *users); /* those before it are asked no more */
	for (nusers = 0; nusers < n; nusers++)
		record(users[nusers] = newcomer(), ids + nusers * SHOWN % count, SHOWN);
}

static void ask(void) {
	static bool seen[SEGMENT * REQUEST];
	long sum = 0;
	for (long at = 0; at < count;) {
		long begin = nanos();
		for (bool *to = seen; to < seen + SEGMENT * REQUEST; at++)
			*to++ = has(users[at / REQUEST % nusers], ids[at]);
		printf("%ld ", nanos() - begin);
		for (int i = 0; i < SEGMENT * REQUEST; i++)
			sum += seen[i];
	}
	printf("%ld", sum);
}

static void record_all(int n) {
	struct memory *m = newcomer();
	for (long at = 0; at < count;) {
		long begin = nanos();
		for (long end = at + RECORDS; at < end; at += n)
			record(m, ids + at, n);
		printf("%ld ", nanos() - begin);
	}
	int sum = 0;
	for (int i = 1; i <= NEWEST; i++)
		sum += has(m, ids[count - i]);
	printf("%d", sum);
	for (int i = 0; i < links; i++)
		bloom_free(&m->filters[i]);
	free(m);
}

static void rates(void) {
	for (unsigned char *key = keys; key < keys + size;) {
		struct bloom f = filter();
		unsigned char *own = key;
		int hits = 0, denied = 0;
		for (int i = 0; i < SHOWN; i++, key += 1 + *key)
			bloom_add(&f, key + 1, *key);
		for (int i = 0; i < SHOWN; i++, own += 1 + *own, key += 1 + *key) {
			denied += bloom_check(&f, own + 1, *own) != 1;
			hits += bloom_check(&f, key + 1, *key) == 1;
		}
		bloom_free(&f);
		printf("%d %d ", hits, denied);
	}
}

int main(int argc, char **argv) {
	if (argc != 5)
		return 2;
	links = atoi(argv[1]), articles = atoi(argv[2]), bits = atoi(argv[3]), hashes = atoi(argv[4]);
	struct bloom f = filter();
	printf("%d %d %s\n", f.bits, f.hashes, bloom_version());
	char what[16], file[256];
	for (int n; fflush(stdout), scanf("%15s %d %255s", what, &n, file) == 3; printf("\n")) {
		read_keys(file);
		if (strcmp(what, "users") == 0)
			show(n);
		else if (strcmp(what, "ask") == 0)
			ask();
		else if (strcmp(what, "record") == 0)
			record_all(n);
		else
			rates();
	}
}
