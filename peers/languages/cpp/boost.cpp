// Boost.Bloom's answers to the questions of package languages, which says what the
// lines mean.
//
// Articles are 64-bit hashes already, and the filter is told so: it takes them as
// they are. Keys of other shapes go through Boost's hash of strings. With BLOCKED
// defined, an article's bits lie side by side, one in each of six words.

#include <algorithm>
#include <array>
#include <boost/bloom.hpp>
#include <boost/container_hash/hash.hpp>
#include <boost/version.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace {

constexpr int users = 8;       // asked in turn
constexpr int shown = 500;     // articles of each
constexpr int request = 40;    // candidates
constexpr int segment = 128;   // requests between two looks at the clock
constexpr int records = 1500;  // articles between two looks at the clock
constexpr int newest = 100;    // articles that must be recognised after recording
constexpr int hashes = 6;      // which the library wants when it is compiled

long long objects = 0;  // alive on the heap

using ID = std::uint64_t;
using IDs = std::vector<ID>;

// As_is is the hash of what is hashed, and says that it needs no mixing.
struct As_is {
	using is_avalanching = std::true_type;
	std::size_t operator()(ID id) const { return id; }
};

#ifdef BLOCKED
template <class T, class Hash>
using Bloom = boost::bloom::filter<T, 1, boost::bloom::fast_multiblock32<hashes>, 0, Hash>;
#else
template <class T, class Hash>
using Bloom = boost::bloom::filter<T, hashes, boost::bloom::block<unsigned char, 1>, 0, Hash>;
#endif
using Filter = Bloom<ID, As_is>;
using Keys = Bloom<std::string_view, boost::hash<std::string_view>>;

// Geometry is the bits of a filter, and the articles it is made for.
struct Geometry {
	std::size_t bits;
	int articles;
};

// Single is a user's one filter, emptied when it is to hold more than it is made for.
class Single {
public:
	explicit Single(Geometry g) : geometry(g), filter(g.bits) {}

	void seen(const ID *ids, int n, bool *seen) const {
		for (int i = 0; i < n; i++)  // no slower than the library's bulk lookup
			seen[i] = filter.may_contain(ids[i]);
	}

	void record(const ID *ids, int n) {
		if (count + n > geometry.articles) {
			filter.clear();
			count = 0;
		}
		filter.insert(ids, ids + n);
		count += n;
	}

private:
	Geometry geometry;
	Filter filter;
	int count = 0;
};

// Chain is five filters, of which the oldest is emptied when the newest is full.
class Chain {
public:
	explicit Chain(Geometry g) : geometry(g) { links.fill(Filter(g.bits)); }

	void seen(const ID *ids, int n, bool *seen) const {
		for (int i = 0; i < n; i++)
			seen[i] = std::any_of(links.begin(), links.end(), [id = ids[i]](const Filter &f) { return f.may_contain(id); });
	}

	void record(const ID *ids, int n) {
		while (n > 0) {
			if (count == geometry.articles) {
				head = (head + 1) % links.size();
				links[head].clear();
				count = 0;
			}
			int now = std::min(n, geometry.articles - count);
			links[head].insert(ids, ids + now);
			count += now;
			ids += now;
			n -= now;
		}
	}

private:
	Geometry geometry;
	std::array<Filter, 5> links;
	std::size_t head = 0;
	int count = 0;
};

std::string bytes(const std::string &path) {
	std::ifstream in(path, std::ios::binary);
	if (!in)
		throw std::runtime_error("cannot open " + path);
	return {std::istreambuf_iterator<char>(in), {}};
}

// Lists are those of the file that the program is started with.
struct Lists {
	IDs of_users, unseen, seen, mixed, articles;

	explicit Lists(const std::string &path) {
		std::ifstream in(path, std::ios::binary);
		for (IDs *list : {&of_users, &unseen, &seen, &mixed, &articles}) {
			ID n = 0;
			in.read(reinterpret_cast<char *>(&n), sizeof n);
			list->resize(n);
			in.read(reinterpret_cast<char *>(list->data()), n * sizeof n);
		}
		if (!in)
			throw std::runtime_error("the file of lists is short");
	}
};

// resident is how many bytes of the process lie in memory.
long long resident() {
	std::ifstream in("/proc/self/statm");
	long long size = 0, pages = 0;
	if (!(in >> size >> pages))
		throw std::runtime_error("/proc/self/statm cannot be read");
	return pages * sysconf(_SC_PAGESIZE);
}

// Kind is one kind of memories, and those that are timed.
template <class Memory>
class Kind {
public:
	Kind(const Lists &lists, Geometry g) : lists(lists), geometry(g), readers(users, Memory(g)), recorder(g) {
		for (int u = 0; u < users; u++)
			readers[u].record(&lists.of_users[u * shown], shown);
	}

	std::string answer(const std::string &what, const std::string &which) {
		if (what == "ask")
			return ask(which == "unseen" ? lists.unseen : which == "seen" ? lists.seen : lists.mixed);
		int n = std::stoi(which);
		return what == "record" ? record(n) : memory(n);
	}

private:
	using Clock = std::chrono::steady_clock;

	static long long since(Clock::time_point begin) {
		return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
	}

	std::string ask(const IDs &candidates) {
		static bool seen[segment * request];
		std::ostringstream times;
		long long count = 0;
		for (std::size_t at = 0; at + segment * request <= candidates.size(); at += segment * request) {
			auto begin = Clock::now();
			for (int r = 0; r < segment; r++)  // a whole number of rounds of the users
				readers[r % users].seen(&candidates[at + r * request], request, seen + r * request);
			times << ' ' << since(begin);
			count += std::count(std::begin(seen), std::end(seen), true);
		}
		return std::to_string(count) + times.str();
	}

	std::string record(int update) {
		std::ostringstream times;
		std::size_t at = 0;
		while (at + records <= lists.articles.size()) {
			auto begin = Clock::now();
			for (std::size_t end = at + records; at < end; at += update)
				recorder.record(&lists.articles[at], update);
			times << ' ' << since(begin);
		}
		bool seen[newest];
		recorder.seen(&lists.articles[at - newest], newest, seen);
		return std::to_string(std::count(std::begin(seen), std::end(seen), true)) + times.str();
	}

	std::string memory(int n) {
		long long before = resident(), had = objects;
		std::vector<Memory> memories;
		memories.reserve(n);
		for (int u = 0; u < n; u++) {
			memories.emplace_back(geometry);
			memories.back().record(&lists.articles[u % (lists.articles.size() - shown)], shown);
		}
		return std::to_string(resident() - before) + ' ' + std::to_string(objects - had);
	}

	const Lists &lists;
	Geometry geometry;
	std::vector<Memory> readers;
	Memory recorder;
};

// rates says, of each filter of the file, how many keys of others it takes for its
// own, and how many of its own it denies.
std::string rates(std::size_t bits, const std::string &path) {
	const std::string data = bytes(path);
	std::vector<std::string_view> keys;
	for (std::size_t at = 0; at < data.size(); at += 1 + keys.back().size())
		keys.emplace_back(&data[at + 1], static_cast<unsigned char>(data[at]));
	std::ostringstream answer;
	for (auto own = keys.begin(); keys.end() - own >= 2 * shown; own += 2 * shown) {
		Keys filter(own, own + shown, bits);
		auto holds = [&](std::string_view key) { return filter.may_contain(key); };
		answer << std::count_if(own + shown, own + 2 * shown, holds) << ' ' << shown - std::count_if(own, own + shown, holds) << ' ';
	}
	return answer.str();
}

void run(char **argv) {
	const Lists lists(argv[1]);
	const Geometry one{std::stoul(argv[2]), std::stoi(argv[4])}, link{std::stoul(argv[5]), std::stoi(argv[7])};
	if (std::stoi(argv[3]) != hashes || std::stoi(argv[6]) != hashes)
		throw std::runtime_error("compiled for six hashes");
	Kind<Single> single(lists, one);
	Kind<Chain> chain(lists, link);

	std::cout << Filter(one.bits).capacity() << ' ' << hashes << ' ' << Filter(link.bits).capacity() << ' ' << hashes << ' '
			  << BOOST_VERSION / 100000 << '.' << BOOST_VERSION / 100 % 1000 << '.' << BOOST_VERSION % 100 << std::endl;
	for (std::string line; std::getline(std::cin, line);) {
		std::istringstream words(line);
		std::string what, kind, which;
		words >> what >> kind >> which;
		if (what == "rates")
			std::cout << rates(one.bits, line.substr(what.size() + 1)) << std::endl;
		else if (what != "ask" && what != "record" && what != "memory")
			std::cout << "error no such question" << std::endl;
		else
			std::cout << (kind == "single" ? single.answer(what, which) : chain.answer(what, which)) << std::endl;
	}
}

}  // namespace

void *operator new(std::size_t n) {
	objects++;
	if (void *p = std::malloc(n))
		return p;
	throw std::bad_alloc();
}

void operator delete(void *p) noexcept {
	if (p != nullptr)
		objects--;
	std::free(p);
}

void operator delete(void *p, std::size_t) noexcept {
	operator delete(p);
}

int main(int argc, char **argv) {
	try {
		if (argc != 8)
			throw std::runtime_error("want a file of lists, and two geometries");
		run(argv);
	} catch (const std::exception &e) {
		std::cerr << "boost: " << e.what() << '\n';
		return 1;
	}
}
