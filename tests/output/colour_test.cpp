#include "pliant/output/colour.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/base/error.h"

namespace pliant {
namespace {

// The lightness of CIE L*a*b*, 0 to 1.
double lightness(const Colour& c) {
    const double y = 0.2126 * double(c[0]) + 0.7152 * double(c[1]) + 0.0722 * double(c[2]);
    return y > 0.008856 ? 1.16 * std::cbrt(y) - 0.16 : 9.033 * y;
}

TEST(Colours, AreSrgbInLinearLight) {
    EXPECT_TRUE(from_srgb(0x000000).isZero());
    EXPECT_TRUE(from_srgb(0xFFFFFF).isApprox(Colour::Ones()));
    EXPECT_NEAR(from_srgb(0xBC0000)[0], 0.5f, 0.005f);
    for (int level = 0; level < 256; ++level) {
        EXPECT_NEAR(255 * to_srgb(from_srgb(std::uint32_t(level))[2]), float(level), 0.01f);
    }
    EXPECT_EQ(to_srgb(-1), 0);
    EXPECT_NEAR(to_srgb(2), 1, 1e-6);
}

TEST(Palette, HasDifferentColoursAndRepeats) {
    for (std::size_t i = 0; i < palette_size; ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_GT((palette_colour(i) - palette_colour(j)).norm(), 0.1f);
        EXPECT_EQ(palette_colour(i), palette_colour(i + palette_size));
    }
}

TEST(ColourMaps, RiseEvenlyInLightness) {
    for (const std::string& name : ColourMap::names()) {
        if (name == "balance") continue;
        const ColourMap map(name);
        for (int i = 0; i < 100; ++i) {
            const double step = lightness(map.at((i + 1) / 100.0)) - lightness(map.at(i / 100.0));
            EXPECT_GT(step, 0) << name << " at " << i;
            EXPECT_LT(step, 0.02) << name << " at " << i;
        }
    }
}

TEST(ColourMaps, FallEvenlyToBothSidesOfTheBalance) {
    const ColourMap map("balance");
    for (int i = 0; i < 50; ++i) {
        EXPECT_GT(lightness(map.at(0.01 * (i + 1))), lightness(map.at(0.01 * i)));
        EXPECT_GT(lightness(map.at(1 - 0.01 * (i + 1))), lightness(map.at(1 - 0.01 * i)));
    }
}

TEST(ColourMaps, HaveDefinedColoursForAnyNumber) {
    const ColourMap map("dusk");
    EXPECT_EQ(map.at(-5), map.at(0));
    EXPECT_EQ(map.at(INFINITY), map.at(1));
    EXPECT_EQ(map.at(NAN), Colour(Colour::Constant(0.25f)));
    EXPECT_THROW(ColourMap("jet"), InputError);
}

}  // namespace
}  // namespace pliant
