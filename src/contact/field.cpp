#include "pliant/contact/field.h"

#include <cmath>

namespace pliant {
namespace {

constexpr Real heaviest_gas = 50;  // kg/m^3

}  // namespace

const FieldTable& FieldSettings::fields() {
    using S = FieldSettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what messages call it; left out: field1, field2, ..."),
        field("density", &S::density, "kg/m^3", "of the medium: 1000 for water, 1.2 for air").at_least(0).at_most(1e6),
        field("velocity", &S::velocity, "m/s", "of its flow: a current or a wind").at_least(-1e4).at_most(1e4),
        field("sway", &S::sway, "m/s", "that comes on top, to and fro").at_least(-1e4).at_most(1e4),
        field("period", &S::period, "s", "of the sway").above(0).at_most(1e6),
        field("drag", &S::drag, "", "coefficient of drag: about 1 for blunt things; 0: none").at_least(0).at_most(1e3),
        field(
            "viscosity", &S::viscosity, "Pa s",
            "of the medium, which slows small drops (`sph`); left out: that of air if it is as light as a gas, else of "
            "water")
            .above(0)
            .at_most(1e6),
        field("surface", &S::surface, "m", "height y up to which it reaches; left out: it is everywhere"),
    };
    return table;
}

Vec3 FieldSettings::flow(Real time) const {
    if (sway == Vec3::Zero()) return velocity;
    return velocity + std::sin(2 * pi * time / period) * sway;
}

Real FieldSettings::shear_viscosity() const {
    if (viscosity) return *viscosity;
    return density < heaviest_gas ? 1.845e-5 : 1.02e-3;
}

Vec3 velocity_in(const FieldSettings& field, const Vec3& velocity, Real mass, Real volume, Real area,
                 const Vec3& gravity, Real time, Real dt) {
    const Vec3 lifted = velocity - dt * (field.density * volume / mass) * gravity;
    const Vec3 u = field.flow(time) - lifted;
    const Real rate = field.density * field.drag * area * u.norm() / (2 * mass);  // 1/s
    return lifted + (rate * dt / (1 + rate * dt)) * u;
}

}  // namespace pliant
