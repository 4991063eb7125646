/* libbloom answers the question that ../README.md describes.

   The library takes bytes. It derives bits and hashes from at least a thousand articles and a rate. We ask for the fewest
   bits that come with the wanted number of hashes. */

#include <bloom.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REQUEST = 40, LEAST = 1000, MOST = 1 << 18 };

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

static bool has(struct memory *m, const unsigned char *key) {
	for (int i = 0; i < links; i++)
		if (bloom_check(&m->filters[i], key + 1, *key) == 1)
			return true;
	return false;
}

static void record(struct memory *m, const unsigned char *key) {
	if (m->count == articles) {
		m->active = (m->active + 1) % links, m->count = 0;
		bloom_reset(&m->filters[m->active]);
	}
	bloom_add(&m->filters[m->active], key + 1, *key);
	m->count++;
}

static long nanos(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000L * t.tv_sec + t.tv_nsec;
}

int main(int argc, char **argv) {
	static unsigned char data[64 * MOST], *keys[MOST]; /* a key is its length and its bytes */
	static char seen[MOST];
	if (argc != 5)
		return 2;
	links = atoi(argv[1]), articles = atoi(argv[2]), bits = atoi(argv[3]), hashes = atoi(argv[4]);
	struct bloom f = filter();
	printf("%d %d\n", f.bits, f.hashes);
	char name[256];
	for (long n, each, shown, count = 0; fflush(stdout), scanf("%ld %ld %ld %255s", &n, &each, &shown, name) == 4; count = 0) {
		FILE *file = fopen(name, "rb");
		unsigned char *end = data + fread(data, 1, sizeof data, file);
		fclose(file);
		for (unsigned char *key = data; key < end; key += 1 + *key)
			keys[count++] = key;
		struct memory **users = malloc(n * sizeof *users);
		for (long u = 0; u < n; u++) { /* never freed: a run makes some 100,000 filters */
			users[u] = calloc(1, sizeof **users + links * sizeof f);
			for (int i = 0; i < links; i++)
				users[u]->filters[i] = filter();
		}
		long begin = nanos();
		for (long i = 0; i < n * each; i++)
			record(users[i / each], keys[i % shown]);
		long middle = nanos();
		for (long at = shown; at < count; at += REQUEST)
			for (long i = at; i < at + REQUEST; i++)
				seen[i] = has(users[(at - shown) / REQUEST % n], keys[i]) ? '1' : '0';
		printf("%ld %ld %.*s\n", middle - begin, nanos() - middle, (int)(count - shown), seen + shown);
	}
}
