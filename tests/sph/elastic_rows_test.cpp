#include "pliant/methods/sph/elastic_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using Pairs = std::vector<ElasticRows::Pair>;

// Two parts of two rows: neighbours close by, none, and one further off than 16 bits reach.
struct Rows {
    std::vector<std::uint32_t> counts = {3, 0, 5, 1};
    std::vector<Pairs> parts = {{{1, 0.1f}, {2, 0.25f}, {3, 3.14159f}},
                                {{0, 1e-20f}, {1, 2.0f}, {3, 7.0f}, {40000, 1.7f}, {90000, 5e10f}, {0, 0.3f}}};
    ElasticRows rows;
    Rows() { rows.assign(counts, parts, std::vector<std::size_t>{0, 2}); }
};

TEST(ElasticRows, GivesBackItsPairsWithRoundedWeights) {
    const Rows made;
    ASSERT_EQ(made.rows.size(), 4u);
    for (std::size_t i = 0, part = 0, at = 0; i < 4; ++i) {
        if (i == 2) part = 1, at = 0;
        std::size_t k = 0;
        made.rows.each(i, [&](std::uint32_t j, float g) {
            if (k++ >= made.counts[i]) {
                EXPECT_EQ(j, i);
                EXPECT_EQ(g, 0.0f);
                return;
            }
            const auto [other, weight] = made.parts[part][at++];
            EXPECT_EQ(j, other);
            EXPECT_EQ(g, ElasticRows::rounded(weight));
            EXPECT_NEAR(g, weight, weight / 256);
        });
        EXPECT_EQ(k % 4, 0u);
        EXPECT_LT(k, made.counts[i] + 4);
    }
}

TEST(ElasticRows, RecordsAreThoseOfTheNeighbours) {
    const Rows made;
    std::vector<float> record(2 * 90001);
    for (std::size_t j = 0; j < record.size() / 2; ++j) record[2 * j + 1] = float(j);
    for (std::size_t i = 0; i < 4; ++i) {
        std::vector<float> plain, by_record;
        made.rows.each(i, [&](std::uint32_t j, float g) { plain.insert(plain.end(), {float(j), g}); });
        made.rows.each_record<2>(i, record.data(), [&](int l, const float* from, const std::uint32_t* weight) {
            EXPECT_EQ(std::size_t(l), by_record.size() / 2 % 4);
            EXPECT_EQ(ElasticRows::spread_weight_at<Float8>(weight)[7], ElasticRows::weight_at(weight));
            EXPECT_EQ(ElasticRows::spread_weight_at<Double4>(weight)[3], ElasticRows::weight_at(weight));
            by_record.insert(by_record.end(), {from[1], ElasticRows::weight_at(weight)});
        });
        EXPECT_EQ(plain, by_record);
    }
}

}  // namespace
}  // namespace pliant
