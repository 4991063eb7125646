// Boost.Bloom answers the questions that ../README.md lists.
//
// Articles are hashed already, so As_is tells the library to take them as they are. Keys of other shapes go through
// Boost's hash of strings. With BLOCKED defined, an article sets one bit in each of six words that lie side by side.

#include <algorithm>
#include <array>
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
constexpr int shown = 500, request = 40, newest = 100, hashes = 6;

struct As_is {
	using is_avalanching = std::true_type;
	std::size_t operator()(ID id) const { return id; }
};

#ifdef BLOCKED
template <class T, class Hash> using Bloom = boost::bloom::filter<T, 1, boost::bloom::fast_multiblock32<hashes>, 0, Hash>;
#else
template <class T, class Hash> using Bloom = boost::bloom::filter<T, hashes, boost::bloom::block<unsigned char, 1>, 0, Hash>;
#endif
using Filter = Bloom<ID, As_is>;

// Memory is a user's: links, of which the active one takes articles. When it is full, the oldest is cleared.
template <int links> struct Memory {
	std::array<Filter, links> filters;
	int articles, active = 0, count = 0;

	Memory(std::size_t bits, int articles) : articles(articles) { filters.fill(Filter(bits)); }

	bool has(ID id) const {
		return std::any_of(filters.begin(), filters.end(), [id](const Filter &f) { return f.may_contain(id); });
	}

	void record(ID id) {
		if (count == articles) {
			active = (active + 1) % links, count = 0;
			filters[active].clear();
		}
		filters[active].insert(id);
		count++;
	}
};

template <int links> void serve(int articles, std::size_t bits) {
	const Memory<links> newcomer(bits, articles);
	std::vector<Memory<links>> users;
	std::string what, name;
	for (std::size_t n; std::cin >> what >> n >> name;) {
		std::ifstream file(name, std::ios::binary);
		std::vector<std::string> keys; // a key is its length and its bytes
		for (int length; (length = file.get()) != EOF;)
			file.read(keys.emplace_back(length, 0).data(), length);
		std::vector<ID> ids(keys.size());
		for (std::size_t i = 0; i < ids.size(); i++)
			std::memcpy(&ids[i], keys[i].data(), std::min(keys[i].size(), sizeof(ID)));
		std::vector<char> seen(ids.size());
		auto reader = newcomer;
		long long took = 0, found = 0;
		auto begin = Clock::now();
		auto lap = [&] { took = std::chrono::nanoseconds(Clock::now() - begin).count(); };
		if (what == "users") {
			users.assign(n, newcomer);
			for (std::size_t i = 0; i < n * shown; i++)
				users[i / shown].record(ids[i % ids.size()]);
		} else if (what == "ask") {
			for (std::size_t at = 0; at < ids.size(); at += request) {
				const auto &user = users[at / request % n];
				for (std::size_t i = at; i < at + request; i++)
					seen[i] = user.has(ids[i]);
			}
			lap();
			found = std::count(seen.begin(), seen.end(), true);
		} else if (what == "record") {
			for (ID id : ids)
				reader.record(id);
			lap();
			found = std::count_if(ids.end() - newest, ids.end(), [&](ID id) { return reader.has(id); });
		} else {
			auto others = keys.begin() + shown;
			Bloom<std::string, boost::hash<std::string>> filter(keys.begin(), others, bits);
			auto holds = [&](const std::string &key) { return filter.may_contain(key); };
			took = std::count_if(others, keys.end(), holds);
			found = shown - std::count_if(keys.begin(), others, holds);
		}
		std::cout << took << ' ' << found << std::endl;
	}
}

int main(int, char **argv) {
	const int links = std::stoi(argv[1]), articles = std::stoi(argv[2]);
	const std::size_t bits = std::stoul(argv[3]);
	std::cout << Filter(bits).capacity() << ' ' << hashes << std::endl;
	links == 1 ? serve<1>(articles, bits) : serve<5>(articles, bits);
}
