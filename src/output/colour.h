// Colours in linear light, and the palettes that pictures are coloured by.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

namespace pliant {

using Colour = Eigen::Vector3f;  // linear red, green, blue; 1 is white

Colour from_srgb(std::uint32_t rrggbb);
float to_srgb(float linear);  // the transfer curve; 0..1 to 0..1

// A candy colour for body or material number `index`; repeats after palette_size.
Colour palette_colour(std::size_t index);
constexpr std::size_t palette_size = 10;

// A perceptual map from numbers to colours, made of stops at even distances: lightness rises evenly, or in `balance`
// falls evenly to both sides of the middle.
class ColourMap {
public:
    explicit ColourMap(const std::string& name);  // InputError that lists the names there are
    Colour at(double position) const;             // 0..1, clamped; NaN is grey

    static std::vector<std::string> names();

private:
    const std::vector<std::uint32_t>* stops_;
};

}  // namespace pliant
