// Mass, centre of mass and inertia of a solid of even density.
#pragma once

#include "pliant/geometry/shape.h"

namespace pliant {

struct MassProperties {
    Real mass = 0;                      // kg
    Vec3 centre = Vec3::Zero();         // of mass, in the shape's own space [m]
    Vec3 inertia = Vec3::Zero();        // about the centre, along the principal axes [kg m^2]
    Quat principal = Quat::Identity();  // from the principal axes to the shape's own
};

// Sums over cells of the shape's bounds, each weighted by the part of it that is inside: exact for a box along the
// axes, within some tenths of a percent for round shapes. InputError if the shape is unbounded or has no inside.
MassProperties measure_mass(const Shape& shape, Real density);

}  // namespace pliant
