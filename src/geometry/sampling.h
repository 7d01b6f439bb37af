// Filling a shape with particles.   (names below are used by scene/build.cpp: keep them)
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

struct SamplingSettings {
    std::string sampling = "cubic";  // cubic, bcc, blue_noise
    Real spacing = 0.01;             // m
    int seed = 0;
};

struct Samples {
    std::vector<Vec3> positions;
    Real volume = 0;  // of each particle [m^3]
};

Samples sample(const Shape& shape, const SamplingSettings& settings);
std::size_t estimate_count(const Shape& shape, const SamplingSettings& settings);

}  // namespace pliant
