// Filling a shape with particles. A particle stands for spacing^3 of it, and a ball of half the spacing around it lies
// within the shape.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"

namespace pliant {

struct SamplingSettings {
    std::string sampling = "cubic";  // cubic, bcc, blue_noise
    Real spacing = 0.01;             // m
    int seed = 0;                    // of blue noise
    std::size_t most_particles = 100'000'000;

    static const FieldTable& fields();
};

struct Samples {
    std::vector<Vec3> positions;  // close in space, close in memory
    Real volume = 0;              // of each particle [m^3]: spacing^3
    // Of the shape [m^3], measured. The particles of a box of whole spacings sum up to it; of a curved body they fall
    // short by about a quarter of the spacing all over its surface (lattices: half), for none may stick out.
    Real shape_volume = 0;
};

// InputError, with a spacing that would do, if the shape is unbounded, too thin for a single particle, or so large
// that it would take more than settings.most_particles.
Samples sample(const Shape& shape, const SamplingSettings& settings);

// How many particles sample() would make, without making them: exact for lattices of less than a million, otherwise
// within some percent. Takes a fraction of a second however many there would be. The same errors as sample().
std::size_t estimate_count(const Shape& shape, const SamplingSettings& settings);

}  // namespace pliant
