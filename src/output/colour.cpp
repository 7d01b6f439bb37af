#include "pliant/output/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/base/error.h"

namespace pliant {

namespace {

struct NamedStops {
    const char* name;
    std::vector<std::uint32_t> stops;
};

// Made in OKLab: lightness in even steps, hue along a smooth path, chroma as large as sRGB holds up to a limit.
const std::vector<NamedStops>& all_stops() {
    static const std::vector<NamedStops> maps = {
        {"dusk",
         {0x200E57, 0x321267, 0x451676, 0x5B1883, 0x741C86, 0x8E1F83, 0xA8247D, 0xBE2F75, 0xD13E6E, 0xE24F67, 0xF06260,
          0xFA765B, 0xFF8E60, 0xFEA76E, 0xFFBD78, 0xFED386, 0xFFE891}},
        {"lagoon",
         {0x1B1454, 0x1B2266, 0x143078, 0x014087, 0x005286, 0x066289, 0x027290, 0x088195, 0x01929B, 0x05A29E, 0x04B39E,
          0x01C599, 0x39D48F, 0x6CE182, 0x9CEB79, 0xC5F374, 0xEBFB74}},
        {"ember",
         {0x260409, 0x3C020C, 0x510010, 0x670013, 0x7D0113, 0x94010F, 0xAA0F0A, 0xBB2902, 0xC74401, 0xD25B05, 0xDF6F00,
          0xE88508, 0xF39902, 0xF7B030, 0xF8C75E, 0xF9DD85, 0xFCF1AA}},
        {"balance",
         {0x005A9D, 0x036CBA, 0x317FC8, 0x5393D3, 0x71A6DC, 0x8FB9E5, 0xAECCED, 0xCEDFF2, 0xF2F2F2, 0xF2D6D1, 0xEBBCB4,
          0xE2A398, 0xD88A7D, 0xCC7163, 0xBF5849, 0xB13D2F, 0xA21C10}},
        {"grey",
         {0x161616, 0x212121, 0x2C2C2C, 0x383838, 0x444444, 0x515151, 0x5E5E5E, 0x6B6B6B, 0x797979, 0x878787, 0x959595,
          0xA3A3A3, 0xB2B2B2, 0xC1C1C1, 0xD0D0D0, 0xDFDFDF, 0xEEEEEE}},
    };
    return maps;
}

Colour encoded(std::uint32_t rrggbb) {
    return Colour(float(rrggbb >> 16 & 255), float(rrggbb >> 8 & 255), float(rrggbb & 255)) / 255;
}

float from_srgb(float c) {
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

Colour decoded(const Colour& c) {
    return Colour(from_srgb(c[0]), from_srgb(c[1]), from_srgb(c[2]));
}

}  // namespace

Colour from_srgb(std::uint32_t rrggbb) {
    return decoded(encoded(rrggbb));
}

float to_srgb(float linear) {
    const float c = std::clamp(linear, 0.0f, 1.0f);
    return c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}

Colour palette_colour(std::size_t index) {
    // raspberry, lime, orange, blueberry, lemon, grape, mint, rose, sky, caramel
    static constexpr std::array<std::uint32_t, palette_size> candy = {0xE0334F, 0x7CC242, 0xF58A28, 0x3F6FD8, 0xF4C531,
                                                                      0x8A4FC0, 0x35BFA0, 0xF07DA8, 0x4FB3E8, 0xB9743A};
    return from_srgb(candy[index % palette_size]);
}

ColourMap::ColourMap(const std::string& name) {
    for (const NamedStops& map : all_stops()) {
        if (map.name == name) {
            stops_ = &map.stops;
            return;
        }
    }
    throw InputError(fmt::format("no colour map is called `{}`; there are {}", name, fmt::join(names(), ", ")));
}

Colour ColourMap::at(double position) const {
    if (std::isnan(position)) return Colour::Constant(0.25f);
    const double place = std::clamp(position, 0.0, 1.0) * double(stops_->size() - 1);
    const std::size_t stop = std::min(std::size_t(place), stops_->size() - 2);
    const float part = float(place - double(stop));
    return decoded((1 - part) * encoded((*stops_)[stop]) + part * encoded((*stops_)[stop + 1]));
}

std::vector<std::string> ColourMap::names() {
    std::vector<std::string> names;
    for (const NamedStops& map : all_stops()) names.emplace_back(map.name);
    return names;
}

}  // namespace pliant
