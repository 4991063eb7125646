// Boost.Bloom answers the questions that ../README.md describes. Articles are hashed already: As_is makes the library take
// them as they are. Keys of other shapes go through Boost's hash of strings. With BLOCKED defined, an article sets one bit
// in each of six words that lie side by side.

#include <algorithm>
#include <boost/bloom.hpp>
#include <boost/container_hash/hash.hpp>
#include <boost/version.hpp>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static_assert(BOOST_VERSION == 109000, "want Boost 1.90.0");

using ID = std::uint64_t;
using Clock = std::chrono::steady_clock;
constexpr int request = 40, hashes = 6;
int links, articles;
std::size_t bits;

struct As_is {
	using is_avalanching = std::true_type;
	std::size_t operator()(ID id) const { return id; }
};

#ifdef BLOCKED
template <class T, class Hash> using Bloom = boost::bloom::filter<T, 1, boost::bloom::fast_multiblock32<hashes>, 0, Hash>;
#else
template <class T, class Hash> using Bloom = boost::bloom::filter<T, hashes, boost::bloom::block<unsigned char, 1>, 0, Hash>;
#endif

// Memory is a user's: links, of which the active one takes articles. When it is full, the oldest is cleared.
template <class Key, class Hash> struct Memory {
	std::vector<Bloom<Key, Hash>> filters{std::size_t(links), Bloom<Key, Hash>(bits)};
	int active = 0, count = 0;

	bool has(const Key &key) const {
		return std::any_of(filters.begin(), filters.end(), [&](const auto &f) { return f.may_contain(key); });
	}

	void record(const Key &key) {
		if (count++ == articles) {
			active = (active + 1) % links, count = 1;
			filters[active].clear();
		}
		filters[active].insert(key);
	}
};

template <class Key, class Hash> void answer(std::size_t n, std::size_t each, std::size_t shown, const std::vector<Key> &keys) {
	static std::vector<Memory<Key, Hash>> users; // who stay alive until the next question
	users.assign(n, {});
	std::string seen(keys.size() - shown, '0');
	auto begin = Clock::now();
	for (std::size_t u = 0, i = 0; u < n; u++)
		for (std::size_t end = i + each; i < end; i++)
			users[u].record(keys[i % shown]);
	auto middle = Clock::now();
	for (std::size_t at = 0; at < seen.size(); at += request)
		for (std::size_t i = at; i < at + request; i++)
			seen[i] += users[at / request % n].has(keys[shown + i]);
	std::chrono::nanoseconds recorded = middle - begin, asked = Clock::now() - middle;
	std::cout << recorded.count() << ' ' << asked.count() << ' ' << seen << std::endl;
}

int main(int, char **argv) {
	links = std::stoi(argv[1]), articles = std::stoi(argv[2]), bits = std::stoul(argv[3]);
	std::cout << Bloom<ID, As_is>(bits).capacity() << ' ' << hashes << std::endl;
	std::string name;
	for (std::size_t n, each, shown; std::cin >> n >> each >> shown >> name;) {
		std::ifstream file(name, std::ios::binary);
		std::vector<std::string> keys; // a key is its length and its bytes
		for (int length; (length = file.get()) != EOF;)
			file.read(keys.emplace_back(length, 0).data(), length);
		if (name == "keys") {
			answer<std::string, boost::hash<std::string>>(n, each, shown, keys);
			continue;
		}
		std::vector<ID> ids(keys.size());
		for (std::size_t i = 0; i < ids.size(); i++)
			std::memcpy(&ids[i], keys[i].data(), sizeof(ID));
		answer<ID, As_is>(n, each, shown, ids);
	}
}
