#include "pliant/output/stroke_font.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "pliant/output/stroke_glyphs.h"

namespace pliant {
namespace {

Image white(int width, int height) {
    Image image(width, height);
    for (std::uint8_t& byte : image.rgb) byte = 255;
    return image;
}

std::vector<std::uint8_t> drawn(const std::string& text) {
    Image image = white(40, 40);
    draw_text(image, 10, 28, text, {16, 0x000000});
    return image.rgb;
}

TEST(StrokeFont, HasEveryPrintableCharacterAndTellsThemApart) {
    std::set<std::vector<std::uint8_t>> pictures = {drawn("\x01")};  // the box of a missing character
    for (char c = '!'; c <= '~'; ++c) {
        EXPECT_TRUE(pictures.insert(drawn(std::string(1, c))).second) << "`" << c << "` looks like another";
    }
}

TEST(StrokeFont, DrawsNothingForASpace) {
    EXPECT_EQ(drawn(" "), white(40, 40).rgb);
}

TEST(StrokeFont, StandsOnItsBaseline) {
    Image image = white(60, 60);
    draw_text(image, 20, 40, "H", {20, 0x000000});
    int top = 60, bottom = 0;
    for (int y = 0; y < 60; ++y) {
        for (int x = 0; x < 60; ++x) {
            if (image.pixel(x, y)[0] > 128) continue;
            top = std::min(top, y);
            bottom = std::max(bottom, y);
        }
    }
    EXPECT_NEAR(top, 20, 2);
    EXPECT_NEAR(bottom, 40, 2);
}

TEST(StrokeFont, WidthsAddUpAndScale) {
    const TextStyle style{10};
    EXPECT_NEAR(text_width("ab", style), text_width("a", style) + text_width("b", style), 1e-4);
    EXPECT_NEAR(text_width("ab", {20}), 2 * text_width("ab", style), 1e-4);
    EXPECT_EQ(text_width("", style), 0);
    EXPECT_EQ(text_width("\xE4\xB8\xAD", style), text_width("\x01", style)) << "one box a character, not a byte";
}

TEST(StrokeFont, IsCutAtThePicturesEdges) {
    Image image = white(8, 8);
    draw_text(image, -1000, -1000, "far", {16});
    draw_text(image, 5, 5, "WWWW", {40});
    draw_text(image, -3, 20, "g", {30});
    EXPECT_NE(image.rgb, white(8, 8).rgb);
}

TEST(StrokeGlyphs, AreWellFormed) {
    for (const Glyph& glyph : glyphs) {
        EXPECT_GT(glyph.advance, 0);
        std::string_view rest = glyph.strokes;
        while (!rest.empty()) {
            const std::string_view stroke = rest.substr(0, rest.find(' '));
            EXPECT_NE(std::string("-~o").find(stroke[0]), std::string::npos) << glyph.character;
            EXPECT_EQ(stroke.size() % 2, 1u) << glyph.character;
            EXPECT_GE(stroke.size(), stroke[0] == '-' ? 5u : 7u) << glyph.character;
            EXPECT_EQ(stroke.substr(1).find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                      std::string_view::npos)
                << glyph.character;
            rest.remove_prefix(std::min(rest.size(), stroke.size() + 1));
        }
    }
}

}  // namespace
}  // namespace pliant
