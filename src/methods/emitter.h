// A source: an opening that matter runs out of.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/math/types.h"

namespace pliant {

struct EmitterSettings {
    std::string name;
    std::string fluid, body;     // one of them: what it pours
    std::vector<double> size;    // of a rectangular opening, along its own x and z
    std::optional<Real> radius;  // of a round one
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();
    std::optional<Real> speed;  // of what is in the opening, or
    std::optional<Real> rate;   // volume a second
    Real start = 0;
    Real end = std::numeric_limits<Real>::infinity();

    static const FieldTable& fields();
    std::vector<std::string> problems() const;

    const std::string& pours() const { return fluid.empty() ? body : fluid; }
    Real area() const;        // of the opening [m^2]
    Real flow_speed() const;  // m/s
    Placement place() const;  // what is poured leaves along the opening's own -y
};

struct EmitterModel {
    std::size_t body = 0;  // index into the model's bodies: what it pours
    EmitterSettings settings;
    bool is_shaken = false;  // particles leave anywhere around the sites of the lattice
};

}  // namespace pliant
