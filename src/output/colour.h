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

// A colour of the candy palette for body or material number `index`; repeats after palette_size.
Colour palette_colour(std::size_t index);
constexpr std::size_t palette_size = 10;

// Perceptual colour maps: lightness rises evenly (sequential), or falls to both sides of the middle (diverging).
std::vector<std::string> colour_map_names();
Colour map_colour(const std::string& map, double position);  // position 0..1, clamped; NaN is grey

}  // namespace pliant
