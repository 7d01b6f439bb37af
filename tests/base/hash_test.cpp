#include "pliant/base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

std::uint64_t hash_of(const std::vector<unsigned char>& bytes) {
    Hash hash;
    hash.add(std::span(bytes));
    return hash.value();
}

std::vector<unsigned char> sample(std::size_t size) {
    std::mt19937 random(3);
    std::vector<unsigned char> bytes(size);
    for (auto& b : bytes) b = static_cast<unsigned char>(random());
    return bytes;
}

// A change of one bit changes the value, to one that was not seen before, and on average half of its bits.
void expect_every_flip_to_show(std::vector<unsigned char> bytes) {
    const std::uint64_t before = hash_of(bytes);
    std::set<std::uint64_t> seen = {before};
    double changed_bits = 0;
    for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
        bytes[i / 8] ^= static_cast<unsigned char>(1u << (i % 8));
        const std::uint64_t after = hash_of(bytes);
        EXPECT_TRUE(seen.insert(after).second) << "bit " << i << " of " << bytes.size() << " bytes";
        changed_bits += std::popcount(after ^ before);
        bytes[i / 8] ^= static_cast<unsigned char>(1u << (i % 8));
    }
    EXPECT_NEAR(changed_bits / (8.0 * double(bytes.size())), 32, 4);
}

TEST(Hash, ShowsEveryFlippedBit) {
    for (const std::size_t size : {1u, 3u, 8u, 13u, 64u, 257u}) expect_every_flip_to_show(sample(size));
    expect_every_flip_to_show(std::vector<unsigned char>(200, 0));
    expect_every_flip_to_show(std::vector<unsigned char>(200, 255));
}

TEST(Hash, ShowsAFlippedBitAnywhereInALargeArray) {
    std::vector<unsigned char> bytes = sample(300'000);  // several blocks of 64 kB and a part
    const std::uint64_t before = hash_of(bytes);
    for (std::size_t i = 0; i < bytes.size(); i += 7919) {
        bytes[i] ^= 16;
        EXPECT_NE(hash_of(bytes), before) << "byte " << i;
        bytes[i] ^= 16;
    }
    EXPECT_EQ(hash_of(bytes), before);
}

TEST(Hash, NoWordWipesOutWhatCameBefore) {
    for (const std::uint64_t word :
         {0x0ull, ~0x0ull, 0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull, 0x9E3779B97F4A7C15ull}) {
        Hash a, b;
        a.add(std::span<const std::uint64_t>(std::vector<std::uint64_t>{1, word, 5}));
        b.add(std::span<const std::uint64_t>(std::vector<std::uint64_t>{2, word, 5}));
        EXPECT_NE(a.value(), b.value()) << std::hex << word;
        Hash c, d;
        c.add_number(1), c.add_number(word);
        d.add_number(2), d.add_number(word);
        EXPECT_NE(c.value(), d.value()) << std::hex << word;
    }
}

TEST(Hash, IsTheSameAtAnyThreadCount) {
    const std::vector<unsigned char> bytes = sample(1'000'001);
    std::set<std::uint64_t> values;
    for (const int threads : {1, 2, 4, 7}) {
        Threads(threads).run([&] { values.insert(hash_of(bytes)); });
    }
    EXPECT_EQ(values.size(), 1u);
}

TEST(Hash, IsTheSameFromRunToRun) {
    // Written down: checkpoints of one day are checked against runs of another.
    Hash hash;
    const std::string_view text = "pliant";
    hash.add_bytes(text.data(), text.size());
    EXPECT_EQ(hash.value(), 0x309E2030F07DB817ull);
}

TEST(Hash, TellsOrderApart) {
    const std::vector<unsigned char> a = sample(100), b(50, 1);
    Hash ab, ba;
    ab.add(std::span(a)), ab.add(std::span(b));
    ba.add(std::span(b)), ba.add(std::span(a));
    EXPECT_NE(ab.value(), ba.value());

    std::vector<unsigned char> swapped = sample(200'000);
    const std::uint64_t before = hash_of(swapped);
    std::swap_ranges(swapped.begin(), swapped.begin() + 65536, swapped.begin() + 65536);  // two whole blocks
    EXPECT_NE(hash_of(swapped), before);
}

TEST(Hash, TellsWhereOneArrayEnds) {
    const std::vector<unsigned char> all = sample(64);
    const std::vector<unsigned char> head(all.begin(), all.begin() + 32), tail(all.begin() + 32, all.end());
    Hash together, apart;
    together.add(std::span(all));
    apart.add(std::span(head)), apart.add(std::span(tail));
    EXPECT_NE(together.value(), apart.value());
}

TEST(Hash, CountsEmptyArraysAndZeros) {
    std::set<std::uint64_t> values = {Hash().value()};
    Hash empties;
    for (int k = 0; k < 5; ++k) {
        empties.add_bytes(nullptr, 0);
        EXPECT_TRUE(values.insert(empties.value()).second);
    }
    for (std::size_t size = 1; size < 100; ++size) {
        EXPECT_TRUE(values.insert(hash_of(std::vector<unsigned char>(size))).second) << size << " zeros";
    }
}

TEST(Hash, TellsZeroFromMinusZero) {
    Hash plus, minus;
    plus.add(std::span<const double>(std::vector<double>{0.0}));
    minus.add(std::span<const double>(std::vector<double>{-0.0}));
    EXPECT_NE(plus.value(), minus.value());
}

TEST(Hash, SeldomCollides) {
    std::unordered_set<std::uint64_t> values;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        Hash hash;
        hash.add_number(i);
        values.insert(hash.value());
    }
    EXPECT_EQ(values.size(), 100'000u);
}

}  // namespace
}  // namespace pliant
