#include "pliant/geometry/row_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace pliant {
namespace {

std::vector<std::uint32_t> random_row(std::size_t count, std::mt19937& engine) {
    std::vector<std::uint32_t> row(count);
    for (auto& index : row) index = engine() % 0xFFFFFFFFu;
    return row;
}

TEST(RowSort, SortsShortRowsOfEveryLength) {
    std::mt19937 engine(1);
    for (std::size_t count = 0; count <= longest_short_row; ++count) {
        for (int repeat = 0; repeat < 20; ++repeat) {
            auto expected = random_row(count, engine);
            if (repeat % 2) expected.assign(count, engine() % 3);  // equal entries
            auto row = expected;
            row.resize(padded_row(count), 7);  // what lies beyond must not matter
            sort_short_row(row.data(), count);
            std::sort(expected.begin(), expected.end());
            row.resize(count);
            ASSERT_EQ(row, expected) << count;
        }
    }
}

TEST(RowSort, SortsLongRowsOfAnyNumberOfStretches) {
    std::mt19937 engine(2);
    for (const std::size_t count : {0, 1, 2, 3, 257, 1000, 5000}) {
        for (const std::size_t stretch : {1, 2, 77, 5000}) {
            auto row = random_row(count, engine);
            for (std::size_t begin = 0; begin < count; begin += stretch) {
                std::sort(row.begin() + begin, row.begin() + std::min(count, begin + stretch));
            }
            auto expected = row;
            std::sort(expected.begin(), expected.end());
            std::vector<std::uint32_t> scratch(count);
            sort_long_row(row.data(), count, scratch.data());
            ASSERT_EQ(row, expected) << count << " in stretches of " << stretch;
        }
    }
}

}  // namespace
}  // namespace pliant
