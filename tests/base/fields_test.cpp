#include "pliant/base/fields.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

struct Point {
    double a = 0, b = 0, c = 0;
    Point() = default;
    Point(double x, double y, double z) : a(x), b(y), c(z) {}
    double x() const { return a; }
    double y() const { return b; }
    double z() const { return c; }
    bool operator==(const Point&) const = default;
};

struct Everything {
    bool flag = true;
    int count = 3;
    double size = 0.25;
    std::string name = "some";
    Point place{1, 2, 3};
    std::vector<double> numbers = {1, 2};
    std::vector<std::string> names = {"a", "b"};
    std::optional<double> maybe_size;
    std::optional<int> maybe_count;
    std::optional<bool> maybe_flag;
    std::optional<std::string> maybe_name;
    std::optional<Point> maybe_place;
};

// The field tells its type, gives the default, and gives back what is set.
template <class T>
void expect_round_trip(T Everything::*member, FieldType type, const FieldValue& before, const T& other) {
    const Field f = field("it", member, "m", "help");
    EXPECT_EQ(f.name, "it");
    EXPECT_EQ(f.unit, "m");
    EXPECT_EQ(f.help, "help");
    EXPECT_EQ(f.type, type);
    EXPECT_FALSE(f.is_required);
    Everything first, second;
    EXPECT_EQ(f.get(&first), before);
    first.*member = other;
    EXPECT_NE(f.get(&first), before);
    f.set(&second, f.get(&first));
    EXPECT_EQ(second.*member, other);
    f.set(&second, before);
    EXPECT_EQ(second.*member, Everything().*member);
}

TEST(Fields, EveryTypeGoesThroughItsValueAndBack) {
    using E = Everything;
    expect_round_trip(&E::flag, FieldType::boolean, true, false);
    expect_round_trip(&E::count, FieldType::integer, std::int64_t(3), -7);
    expect_round_trip(&E::size, FieldType::real, 0.25, -1e300);
    expect_round_trip(&E::name, FieldType::text, std::string("some"), std::string("other"));
    expect_round_trip(&E::place, FieldType::vector3, std::vector<double>{1, 2, 3}, Point(4, 5, 6));
    expect_round_trip(&E::numbers, FieldType::real_list, std::vector<double>{1, 2}, std::vector<double>{});
    expect_round_trip(&E::names, FieldType::text_list, std::vector<std::string>{"a", "b"},
                      std::vector<std::string>{"c"});
}

TEST(Fields, AnOptionalFieldHasNoValueUntilItIsSet) {
    using E = Everything;
    expect_round_trip(&E::maybe_size, FieldType::real, FieldValue(), std::optional<double>(0.0));
    expect_round_trip(&E::maybe_count, FieldType::integer, FieldValue(), std::optional<int>(0));
    expect_round_trip(&E::maybe_flag, FieldType::boolean, FieldValue(), std::optional<bool>(false));
    expect_round_trip(&E::maybe_name, FieldType::text, FieldValue(), std::optional<std::string>(""));
    expect_round_trip(&E::maybe_place, FieldType::vector3, FieldValue(), std::optional<Point>(Point()));
}

TEST(Fields, AValueOfAnotherTypeIsRefused) {
    Everything settings;
    EXPECT_THROW(field("size", &Everything::size, "", "").set(&settings, std::string("large")),
                 std::bad_variant_access);
    EXPECT_THROW(field("count", &Everything::count, "", "").set(&settings, 1.5), std::bad_variant_access);
    EXPECT_THROW(field("place", &Everything::place, "", "").set(&settings, std::vector<double>{1, 2}),
                 std::out_of_range);
    EXPECT_EQ(settings.size, 0.25);
}

TEST(Fields, RangesAreOpenUntilTheyAreGiven) {
    const Field f = field("size", &Everything::size, "m", "");
    EXPECT_EQ(f.lowest, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(f.highest, std::numeric_limits<double>::infinity());
    const Field count = field("count", &Everything::count, "", "");
    EXPECT_EQ(count.lowest, std::numeric_limits<int>::min());
    EXPECT_EQ(count.highest, std::numeric_limits<int>::max());
}

TEST(Fields, RangesSayWhetherTheirLowerEndBelongs) {
    const Field f = field("size", &Everything::size, "m", "");
    const Field above = f.above(0).at_most(5);
    EXPECT_EQ(above.lowest, 0);
    EXPECT_FALSE(above.lowest_is_allowed);
    EXPECT_EQ(above.highest, 5);
    EXPECT_TRUE(f.at_least(2).lowest_is_allowed);
    EXPECT_EQ(f.at_least(2).lowest, 2);
    EXPECT_TRUE(f.above(0).at_least(1).lowest_is_allowed);
}

TEST(Fields, ChoicesAndRequirementAreKept) {
    const Field f = field("name", &Everything::name, "", "").one_of({"a", "b"}).required();
    EXPECT_EQ(f.choices, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(f.is_required);
}

TEST(Fields, AChangedFieldLeavesTheFirstAsItWas) {
    const Field f = field("size", &Everything::size, "m", "");
    (void)f.above(3).required();
    EXPECT_TRUE(std::isinf(f.lowest));
    EXPECT_FALSE(f.is_required);
}

}  // namespace
}  // namespace pliant
