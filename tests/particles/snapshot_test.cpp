#include "pliant/particles/snapshot.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/base/error.h"

namespace pliant {
namespace {

template <class T>
void expect_round_trip(const std::vector<T>& rows) {
    Snapshot snapshot;
    snapshot.put("it", rows);
    std::vector<T> read = {T{}, T{}};
    snapshot.get("it", read);
    ASSERT_EQ(read.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(read[i], rows[i]);
}

std::string error_of(const auto& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Snapshot, GivesBackArraysOfEveryType) {
    expect_round_trip<double>({0.0, -1.5, 1e308, std::numeric_limits<double>::denorm_min()});
    expect_round_trip<std::uint32_t>({0, 7, 0xFFFFFFFF});
    expect_round_trip<std::int32_t>({-1, 0, std::numeric_limits<std::int32_t>::min()});
    expect_round_trip<std::uint64_t>({0, ~std::uint64_t(0)});
    expect_round_trip<Vec3>({{1, 2, 3}, {-4, 5e-300, 6}});
    Mat3 A;
    A << 1, 2, 3, 4, 5, 6, 7, 8, 9;
    expect_round_trip<Mat3>({A, -A});
}

TEST(Snapshot, GivesBackEmptyArrays) {
    expect_round_trip<double>({});
    expect_round_trip<std::uint32_t>({});
    expect_round_trip<std::int32_t>({});
    expect_round_trip<std::uint64_t>({});
    expect_round_trip<Vec3>({});
    expect_round_trip<Mat3>({});
}

TEST(Snapshot, GivesBackNumbersAndTextsOfAnyBytes) {
    Snapshot snapshot;
    snapshot.put_number("number", ~std::uint64_t(0));
    snapshot.put_real("real", -0.0);
    std::string all_bytes;
    for (int k = 0; k < 512; ++k) all_bytes += static_cast<char>(k);
    snapshot.put_text("text", all_bytes);
    snapshot.put_text("nothing", "");
    EXPECT_EQ(snapshot.get_number("number"), ~std::uint64_t(0));
    EXPECT_TRUE(std::signbit(snapshot.get_real("real")));
    EXPECT_EQ(snapshot.get_text("text"), all_bytes);
    EXPECT_EQ(snapshot.get_text("nothing"), "");
}

TEST(Snapshot, KeepsTheLastOfTwoOfTheSameName) {
    Snapshot snapshot;
    snapshot.put_real("it", 1);
    snapshot.put_number("it", 2);
    EXPECT_EQ(snapshot.get_number("it"), 2u);
    EXPECT_EQ(snapshot.arrays().size(), 1u);
}

TEST(Snapshot, SaysWhatIsAbsent) {
    Snapshot snapshot;
    EXPECT_FALSE(snapshot.has("state.position"));
    std::vector<Vec3> rows = {Vec3::Ones()};
    EXPECT_NE(error_of([&] { snapshot.get("state.position", rows); }).find("'state.position'"), std::string::npos);
    EXPECT_EQ(rows.size(), 1u);
    EXPECT_THROW(snapshot.get_text("a"), InputError);
    EXPECT_THROW(snapshot.get_number("a"), InputError);
    EXPECT_THROW(snapshot.get_real("a"), InputError);
    snapshot.put_real("state.position", 1);
    EXPECT_TRUE(snapshot.has("state.position"));
}

TEST(Snapshot, RefusesAnotherTypeOrShape) {
    Snapshot snapshot;
    snapshot.put("it", std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    std::vector<double> reals = {42};
    std::vector<Mat3> matrices;
    std::vector<std::uint32_t> indices;
    EXPECT_NE(error_of([&] { snapshot.get("it", reals); }).find("'it'"), std::string::npos);
    EXPECT_THROW(snapshot.get("it", matrices), InputError);
    EXPECT_THROW(snapshot.get("it", indices), InputError);
    EXPECT_EQ(reals, std::vector<double>{42});
    snapshot.put("two", std::vector<double>{1, 2});
    snapshot.put("none", std::vector<std::uint64_t>{});
    EXPECT_THROW(snapshot.get_real("two"), InputError);
    EXPECT_THROW(snapshot.get_number("none"), InputError);
    EXPECT_THROW(snapshot.get_text("two"), InputError);
}

}  // namespace
}  // namespace pliant
