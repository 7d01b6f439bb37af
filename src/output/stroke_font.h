// A font of strokes for the words in pictures: drawn with a round pen, sharp at any size.
#pragma once

#include <string_view>

#include "pliant/output/colour.h"
#include "pliant/output/image.h"

namespace pliant {

struct TextStyle {
    float size = 16;                  // height of a capital [pixels]
    std::uint32_t colour = 0x39414F;  // sRGB
    float opacity = 1;
};

// Width of the text [pixels]. Text is UTF-8; characters that the font does not have are drawn as a box.
float text_width(std::string_view text, const TextStyle& style);

// Draws the text from x on, with its baseline at y. What falls outside the picture is cut off.
void draw_text(Image& image, float x, float y, std::string_view text, const TextStyle& style);

}  // namespace pliant
