/* libbloom's answers to the questions of package languages, which says what the
   lines mean.

   The library takes bytes, so an article is its eight. It derives bits and hashes
   from articles, a thousand at least, and a rate: asked for are the fewest bits
   that come with as many hashes as wanted. */

#include <bloom.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	USERS = 8,      /* asked in turn */
	SHOWN = 500,    /* articles of each */
	REQUEST = 40,   /* candidates */
	SEGMENT = 128,  /* requests between two looks at the clock */
	RECORDS = 1500, /* articles between two looks at the clock */
	NEWEST = 100,   /* articles that must be recognised after recording */
	LEAST = 1000,   /* articles that the library takes a filter for */
	LINKS = 5,
};

static void fail(const char *what) {
	fprintf(stderr, "libbloom: %s\n", what);
	exit(1);
}

static void *allocate(size_t n) {
	void *p = malloc(n);
	if (p == NULL)
		fail("out of memory");
	return p;
}

/* The bits and hashes of a filter, and the articles it is made for. */
struct geometry {
	int bits, hashes, articles;
};

/* make makes a filter of that many hashes, and of the bits asked for where the
   library gives both. It takes ceil(ln 2 * bits / articles) hashes. */
static void make(struct bloom *f, const struct geometry *g) {
	double least = LEAST * (g->hashes - 1) / log(2) + 1;
	double bits = g->bits > least ? g->bits : ceil(least);
	if (bloom_init(f, LEAST, exp(-bits / LEAST * log(2) * log(2))) != 0)
		fail("no such filter");
}

static void add(struct bloom *f, const uint64_t *ids, int n) {
	for (int i = 0; i < n; i++)
		bloom_add(f, &ids[i], sizeof ids[i]);
}

/* A user's memory: one filter, which is emptied when it is to hold more than it is
   made for, or five, of which the oldest is emptied when the newest is full. */
struct single {
	struct bloom filter;
	int count;
};

struct chain {
	struct bloom links[LINKS];
	int head, count;
};

static struct geometry one, part;

static void single_make(void *p) {
	struct single *m = p;
	make(&m->filter, &one);
	m->count = 0;
}

static void single_seen(void *p, const uint64_t *ids, int n, bool *seen) {
	struct single *m = p;
	for (int i = 0; i < n; i++)
		seen[i] = bloom_check(&m->filter, &ids[i], sizeof ids[i]) == 1;
}

static void single_record(void *p, const uint64_t *ids, int n) {
	struct single *m = p;
	if (m->count + n > one.articles) {
		bloom_reset(&m->filter);
		m->count = 0;
	}
	add(&m->filter, ids, n);
	m->count += n;
}

static void single_free(void *p) {
	bloom_free(&((struct single *)p)->filter);
}

static void chain_make(void *p) {
	struct chain *m = p;
	for (int i = 0; i < LINKS; i++)
		make(&m->links[i], &part);
	m->head = m->count = 0;
}

static void chain_seen(void *p, const uint64_t *ids, int n, bool *seen) {
	struct chain *m = p;
	for (int i = 0; i < n; i++) {
		seen[i] = false;
		for (int l = 0; l < LINKS && !seen[i]; l++)
			seen[i] = bloom_check(&m->links[l], &ids[i], sizeof ids[i]) == 1;
	}
}

static void chain_record(void *p, const uint64_t *ids, int n) {
	struct chain *m = p;
	while (n > 0) {
		if (m->count == part.articles) {
			m->head = (m->head + 1) % LINKS;
			bloom_reset(&m->links[m->head]);
			m->count = 0;
		}
		int room = part.articles - m->count, now = n < room ? n : room;
		add(&m->links[m->head], ids, now);
		m->count += now;
		ids += now;
		n -= now;
	}
}

static void chain_free(void *p) {
	struct chain *m = p;
	for (int i = 0; i < LINKS; i++)
		bloom_free(&m->links[i]);
}

struct kind {
	const char *name;
	size_t size;
	int objects; /* blocks on the heap: the library takes one a filter */
	void (*make)(void *);
	void (*seen)(void *, const uint64_t *, int, bool *);
	void (*record)(void *, const uint64_t *, int);
	void (*free)(void *);
	char *users, *recorder;
};

static struct kind kinds[] = {
	{"single", sizeof(struct single), 1, single_make, single_seen, single_record, single_free, NULL, NULL},
	{"chain", sizeof(struct chain), LINKS, chain_make, chain_seen, chain_record, chain_free, NULL, NULL},
};

/* The lists of the file that the program is started with, in its order. */
struct list {
	const char *name;
	uint64_t *ids;
	uint64_t n;
};

static struct list lists[] = {{"shown", NULL, 0}, {"unseen", NULL, 0}, {"seen", NULL, 0}, {"mixed", NULL, 0}, {"articles", NULL, 0}};
static const int nlists = sizeof lists / sizeof *lists;

static void read_lists(const char *path) {
	FILE *f = fopen(path, "rb");
	if (f == NULL)
		fail(strerror(errno));
	for (int i = 0; i < nlists; i++) {
		struct list *l = &lists[i];
		if (fread(&l->n, sizeof l->n, 1, f) != 1)
			fail("the file of lists is short");
		l->ids = allocate(l->n * sizeof *l->ids);
		if (fread(l->ids, sizeof *l->ids, l->n, f) != l->n)
			fail("the file of lists is short");
	}
	fclose(f);
}

static long long nanos(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000LL * t.tv_sec + t.tv_nsec;
}

static int count(const bool *seen, int n) {
	int c = 0;
	for (int i = 0; i < n; i++)
		c += seen[i];
	return c;
}

/* Times are written before the count of what was seen is known, so that they are
   kept until then. */
static long long times[1 << 16];

static void print(long long counted, int n) {
	printf("%lld", counted);
	for (int i = 0; i < n; i++)
		printf(" %lld", times[i]);
	printf("\n");
}

static void ask(const struct kind *k, const struct list *l) {
	static bool seen[SEGMENT * REQUEST];
	long long counted = 0;
	int n = 0;
	for (const uint64_t *at = l->ids; at + SEGMENT * REQUEST <= l->ids + l->n; n++) {
		long long begin = nanos();
		for (int r = 0; r < SEGMENT; r++, at += REQUEST) /* a whole number of rounds of the users */
			k->seen(k->users + r % USERS * k->size, at, REQUEST, seen + r * REQUEST);
		times[n] = nanos() - begin;
		counted += count(seen, SEGMENT * REQUEST);
	}
	print(counted, n);
}

static void record(const struct kind *k, const struct list *l, int update) {
	int n = 0;
	const uint64_t *at = l->ids;
	for (; at + RECORDS <= l->ids + l->n; n++) {
		long long begin = nanos();
		for (const uint64_t *end = at + RECORDS; at < end; at += update)
			k->record(k->recorder, at, update);
		times[n] = nanos() - begin;
	}
	bool seen[NEWEST];
	k->seen(k->recorder, at - NEWEST, NEWEST, seen);
	print(count(seen, NEWEST), n);
}

/* resident is how many bytes of the process lie in memory. */
static long long resident(void) {
	long long size, pages;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%lld %lld", &size, &pages) != 2)
		fail("/proc/self/statm cannot be read");
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static void memory(const struct kind *k, const struct list *l, long users) {
	long long before = resident();
	char *memories = allocate(users * k->size);
	for (long u = 0; u < users; u++) {
		k->make(memories + u * k->size);
		k->record(memories + u * k->size, l->ids + u % (l->n - SHOWN), SHOWN);
	}
	printf("%lld %lld\n", resident() - before, 1 + (long long)users * k->objects);
	for (long u = 0; u < users; u++)
		k->free(memories + u * k->size);
	free(memories);
}

/* rates says, of each filter of the file, how many keys of others it takes for its
   own, and how many of its own it denies. */
static void rates(const char *path) {
	FILE *f = fopen(path, "rb");
	if (f == NULL)
		fail(strerror(errno));
	static unsigned char keys[2 * SHOWN][256];
	static int lengths[2 * SHOWN];
	for (;;) {
		int n = 0, length;
		for (; n < 2 * SHOWN && (length = getc(f)) != EOF; n++) {
			lengths[n] = length;
			if (fread(keys[n], 1, length, f) != (size_t)length)
				fail("the file of keys is short");
		}
		if (n < 2 * SHOWN)
			break;
		struct bloom filter;
		make(&filter, &one);
		for (int i = 0; i < SHOWN; i++)
			bloom_add(&filter, keys[i], lengths[i]);
		int hits = 0, denied = 0;
		for (int i = 0; i < SHOWN; i++) {
			denied += bloom_check(&filter, keys[i], lengths[i]) != 1;
			hits += bloom_check(&filter, keys[SHOWN + i], lengths[SHOWN + i]) == 1;
		}
		bloom_free(&filter);
		printf("%d %d ", hits, denied);
	}
	fclose(f);
	printf("\n");
}

/* answer answers a question of three words. */
static void answer(const char *what, const char *kind, const char *which) {
	struct kind *k = NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kind, kinds[i].name) == 0)
			k = &kinds[i];
	struct list *l = NULL, *articles = &lists[nlists - 1];
	for (int i = 0; i < nlists; i++)
		if (strcmp(which, lists[i].name) == 0)
			l = &lists[i];
	long n = strtol(which, NULL, 10);
	if (k != NULL && l != NULL && strcmp(what, "ask") == 0)
		ask(k, l);
	else if (k != NULL && n > 0 && strcmp(what, "record") == 0)
		record(k, articles, (int)n);
	else if (k != NULL && n > 0 && strcmp(what, "memory") == 0)
		memory(k, articles, n);
	else
		printf("error no such question\n");
}

int main(int argc, char **argv) {
	if (argc != 8)
		fail("want a file of lists, and two geometries");
	read_lists(argv[1]);
	one = (struct geometry){atoi(argv[2]), atoi(argv[3]), atoi(argv[4])};
	part = (struct geometry){atoi(argv[5]), atoi(argv[6]), atoi(argv[7])};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct kind *k = &kinds[i];
		k->users = allocate(USERS * k->size);
		for (int u = 0; u < USERS; u++) {
			k->make(k->users + u * k->size);
			k->record(k->users + u * k->size, lists[0].ids + u * SHOWN, SHOWN);
		}
		k->recorder = allocate(k->size);
		k->make(k->recorder);
	}

	struct bloom a, b;
	make(&a, &one);
	make(&b, &part);
	printf("%d %d %d %d %s\n", a.bits, a.hashes, b.bits, b.hashes, bloom_version());
	char *line = NULL;
	size_t room = 0;
	for (;;) {
		fflush(stdout);
		if (getline(&line, &room, stdin) <= 0)
			return 0;
		line[strcspn(line, "\n")] = 0;
		char what[16], kind[16], which[16];
		if (strncmp(line, "rates ", 6) == 0)
			rates(line + 6);
		else if (sscanf(line, "%15s %15s %15s", what, kind, which) == 3)
			answer(what, kind, which);
		else
			printf("error no such question\n");
	}
}
