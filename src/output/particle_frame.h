// The particles of one written frame, as plain arrays: what exporters write and the renderer draws.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// A number a particle, to look at: "stress" in "Pa", "plastic_strain", "density", ...
struct ParticleQuantity {
    std::string name;  // letters, digits and underscores
    std::string unit;  // SI, empty for pure numbers
    std::vector<float> values;
};

// Arrays have one entry a particle; those marked optional may be empty.
struct ParticleFrame {
    double time = 0;  // s
    std::int64_t frame = 0;
    std::vector<std::uint32_t> id;
    std::vector<Eigen::Vector3f> position;     // m
    std::vector<Eigen::Vector3f> velocity;     // m/s
    std::vector<std::uint16_t> body;           // number of the body in the scene
    std::vector<float> radius;                 // m
    std::vector<std::uint16_t> material;       // number of the material in the scene; optional
    std::vector<Eigen::Matrix3f> deformation;  // deformation gradient F; optional
    std::vector<ParticleQuantity> quantities;

    std::size_t size() const { return position.size(); }
    const ParticleQuantity* find_quantity(const std::string& name) const;  // null when there is none
    Box bounds() const;  // of the balls around finite positions; empty without any
};

// Throws InputError, naming the array, when lengths differ or a quantity has a name that a file could not hold.
void check_frame(const ParticleFrame& frame);

}  // namespace pliant
