#include "pliant/base/nearest_name.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

const std::vector<std::string> settings = {"density", "young", "poisson", "shear", "bulk", "mu", "lambda", "elastic"};

TEST(EditDistance, CountsInsertedRemovedReplacedAndSwappedLetters) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("abc", "abc"), 0u);
    EXPECT_EQ(edit_distance("abc", "abxc"), 1u);
    EXPECT_EQ(edit_distance("abc", "ac"), 1u);
    EXPECT_EQ(edit_distance("abc", "axc"), 1u);
    EXPECT_EQ(edit_distance("abc", "bac"), 1u);
    EXPECT_EQ(edit_distance("abcd", "badc"), 2u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("abc", ""), 3u);
}

TEST(EditDistance, IsTheSameBothWays) {
    for (const auto& a : settings) {
        for (const auto& b : settings) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << ' ' << b;
    }
}

TEST(NearestName, FindsEveryNameFromOneMistake) {
    for (const std::string& name : settings) {
        if (name.size() < 4) continue;
        for (std::size_t i = 0; i < name.size(); ++i) {
            std::string missing = name, doubled = name, wrong = name, swapped = name;
            missing.erase(i, 1);
            doubled.insert(i, 1, name[i]);
            wrong[i] = '_';
            if (i > 0) std::swap(swapped[i - 1], swapped[i]);
            for (const std::string& typo : {missing, doubled, wrong, swapped})
                EXPECT_EQ(nearest_name(typo, settings), name) << typo;
        }
    }
}

TEST(NearestName, DoesNotMindCase) {
    EXPECT_EQ(nearest_name("Young", settings), "young");
}

TEST(NearestName, TakesTheNearestAndOfEqualsTheFirst) {
    EXPECT_EQ(nearest_name("spacing", {"sparing", "spacing_", "pacings"}), "sparing");
    EXPECT_EQ(nearest_name("friction", {"fractions", "frictions"}), "frictions");
}

TEST(NearestName, IsNoneWhenNoneIsNear) {
    EXPECT_FALSE(nearest_name("temperature", settings));
    EXPECT_FALSE(nearest_name("", settings));
    EXPECT_FALSE(nearest_name("young", {}));
    EXPECT_FALSE(nearest_name(std::string(100'000, 'x'), settings));
}

TEST(Suggestion, NamesTheNearestOrElseAll) {
    EXPECT_EQ(suggestion("yuong", settings), "; did you mean 'young'?");
    EXPECT_EQ(suggestion("temperature", {"mu", "bulk"}), "; valid are: mu, bulk");
    EXPECT_EQ(suggestion("anything", {}), "");
}

}  // namespace
}  // namespace pliant
