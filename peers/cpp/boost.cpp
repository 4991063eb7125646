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
#include <iterator>
#include <string>
#include <vector>

using ID = std::uint64_t;
using Clock = std::chrono::steady_clock;
constexpr int shown = 500, request = 40, segment = 128, records = 1500, newest = 100, hashes = 6;

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

// Memory is a user's: links that hold the given number of articles. The oldest is cleared when the newest is full.
template <int links> struct Memory {
	std::array<Filter, links> filters;
	int articles, count = 0;

	Memory(std::size_t bits, int articles) : articles(articles) { filters.fill(Filter(bits)); }

	bool has(ID id) const {
		return std::any_of(filters.begin(), filters.end(), [id](const Filter &f) { return f.may_contain(id); });
	}

	void record(const ID *ids, int n) {
		for (int now; n > 0; ids += now, n -= now, count += now) {
			Filter &f = filters[count / articles % links];
			if (count >= links * articles && count % articles == 0)
				f.clear();
			now = std::min(n, articles - count % articles);
			f.insert(ids, ids + now);
		}
	}
};

std::vector<std::string> keys(const std::string &file) {
	std::ifstream in(file, std::ios::binary);
	std::vector<std::string> all;
	for (int length; (length = in.get()) != EOF;)
		in.read(all.emplace_back(length, 0).data(), length);
	return all;
}

std::vector<ID> numbers(const std::string &file) {
	std::vector<ID> all;
	for (const auto &key : keys(file))
		std::memcpy(&all.emplace_back(), key.data(), sizeof(ID));
	return all;
}

template <class F> void timed(F work) {
	auto begin = Clock::now();
	work();
	std::cout << std::chrono::nanoseconds(Clock::now() - begin).count() << ' ';
}

template <int links> void serve(int articles, std::size_t bits) {
	const Memory<links> newcomer(bits, articles);
	std::vector<Memory<links>> readers;
	static bool seen[segment * request];
	std::string what, file;
	for (int n; std::cin >> what >> n >> file; std::cout << std::endl) {
		std::vector<ID> ids = what == "rates" ? std::vector<ID>() : numbers(file);
		if (what == "users") {
			readers.assign(n, newcomer);
			for (std::size_t u = 0; u < readers.size(); u++)
				readers[u].record(&ids[u * shown % ids.size()], shown);
		} else if (what == "ask") {
			long long count = 0;
			for (std::size_t at = 0; at < ids.size(); count += std::count(seen, std::end(seen), true))
				timed([&] {
					for (bool *to = seen; to < std::end(seen); at += request)
						for (std::size_t i = at; i < at + request; i++)
							*to++ = readers[at / request % readers.size()].has(ids[i]);
				});
			std::cout << count;
		} else if (what == "record") {
			auto reader = newcomer;
			for (std::size_t at = 0; at < ids.size();)
				timed([&] {
					for (int i = 0; i < records; i += n, at += n)
						reader.record(&ids[at], n);
				});
			std::cout << std::count_if(ids.end() - newest, ids.end(), [&](ID id) { return reader.has(id); });
		} else if (what == "rates") {
			auto all = keys(file);
			for (auto own = all.begin(); own != all.end(); own += 2 * shown) {
				Bloom<std::string, boost::hash<std::string>> filter(own, own + shown, bits);
				auto holds = [&](const std::string &key) { return filter.may_contain(key); };
				std::cout << std::count_if(own + shown, own + 2 * shown, holds) << ' '
						  << shown - std::count_if(own, own + shown, holds) << ' ';
			}
		}
	}
}

int main(int, char **argv) {
	const int links = std::stoi(argv[1]), articles = std::stoi(argv[2]);
	const std::size_t bits = std::stoul(argv[3]);
	std::cout << Filter(bits).capacity() << ' ' << hashes << ' ' << BOOST_VERSION / 100000 << '.'
			  << BOOST_VERSION / 100 % 1000 << '.' << BOOST_VERSION % 100 << std::endl;
	links == 1 ? serve<1>(articles, bits) : serve<5>(articles, bits);
}
