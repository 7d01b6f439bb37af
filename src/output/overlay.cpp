#include "pliant/output/overlay.h"

#include <algorithm>
#include <cmath>

#include "pliant/output/axis_ticks.h"
#include "pliant/output/stroke_font.h"

namespace pliant {

namespace {

// All lengths below are in lines: the height of a capital of plain text.
float line_size(const Image& image) {
    return std::max(6.0f, float(image.height) / 55);
}

struct Rectangle {
    float left, top, right, bottom;
};

// How much of pixel (x, y) a rectangle with round corners covers.
float cover_of(const Rectangle& r, float radius, int x, int y) {
    const float px = float(x) + 0.5f, py = float(y) + 0.5f;
    const float dx = std::max({r.left + radius - px, px - r.right + radius, 0.0f});
    const float dy = std::max({r.top + radius - py, py - r.bottom + radius, 0.0f});
    return std::clamp(radius + 0.5f - std::sqrt(dx * dx + dy * dy), 0.0f, 1.0f);
}

// Paints colour_at(y), an sRGB colour 0..255 a row, over the rectangle.
template <class ColourAt>
void fill(Image& image, const Rectangle& r, float radius, float opacity, ColourAt&& colour_at) {
    for (int y = std::max(0, int(r.top) - 1); y < std::min(image.height, int(r.bottom) + 2); ++y) {
        const Eigen::Vector3f colour = colour_at(y);
        for (int x = std::max(0, int(r.left) - 1); x < std::min(image.width, int(r.right) + 2); ++x) {
            const float cover = opacity * cover_of(r, radius, x, y);
            std::uint8_t* pixel = image.pixel(x, y);
            for (int k = 0; k < 3 && cover > 0; ++k) {
                pixel[k] =
                    static_cast<std::uint8_t>(std::lround(float(pixel[k]) + cover * (colour[k] - float(pixel[k]))));
            }
        }
    }
}

Eigen::Vector3f srgb_bytes(const Colour& c) {
    return 255 * Eigen::Vector3f(to_srgb(c[0]), to_srgb(c[1]), to_srgb(c[2]));
}

}  // namespace

void draw_title(Image& image, const std::string& title) {
    const float line = line_size(image);
    draw_text(image, 2 * line, 3.2f * line, title, {1.3f * line});
}

void draw_stamp(Image& image, const std::string& stamp) {
    const float line = line_size(image);
    draw_text(image, 2 * line, float(image.height) - 2 * line, stamp, {line, 0x39414F, 0.8f});
}

void draw_scale_note(Image& image, const std::string& note) {
    const float line = line_size(image);
    const TextStyle style{line, 0x39414F, 0.55f};
    draw_text(image, float(image.width) - 2 * line - text_width(note, style), float(image.height) - 2 * line, note,
              style);
}

void draw_colour_bar(Image& image, const ColourBar& bar) {
    const float line = line_size(image);
    const TextStyle style{line};
    const AxisTicks ticks = axis_ticks(bar.lowest, bar.highest, 5);
    const std::string title = axis_title(bar.title, bar.unit, ticks.exponent);
    float label_width = 0;
    for (const std::string& label : ticks.labels) label_width = std::max(label_width, text_width(label, style));

    const float width = std::max(text_width(title, style), 2.3f * line + label_width);
    const float left = float(image.width) - 2.8f * line - width, top = 0.2f * float(image.height);
    const Rectangle panel{left - 1.2f * line, top - 3.6f * line, left + width + 1.2f * line,
                          top + 0.45f * float(image.height) + 1.6f * line};
    fill(image, panel, 0.8f * line, 0.5f, [](int) { return Eigen::Vector3f::Constant(250); });
    draw_text(image, left, top - 1.4f * line, title, style);

    const Rectangle strip{left, top, left + 1.3f * line, top + 0.45f * float(image.height)};
    const float height = strip.bottom - strip.top;
    const ColourMap map(bar.map);
    fill(image, strip, 0.3f * line, 1,
         [&](int y) { return srgb_bytes(map.at((strip.bottom - float(y) - 0.5f) / height)); });
    const double span = bar.highest > bar.lowest ? bar.highest - bar.lowest : 1;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
        const float y = strip.bottom - height * float((ticks.values[i] - bar.lowest) / span);
        fill(image, {strip.right, y - 0.6f, strip.right + 0.4f * line, y + 0.6f}, 0, 1,
             [](int) { return Eigen::Vector3f(57, 65, 79); });
        draw_text(image, strip.right + 0.9f * line, y + line / 2, ticks.labels[i], style);
    }
}

}  // namespace pliant
