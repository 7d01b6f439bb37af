#include "pliant/contact/rigid.h"

#include "pliant/base/error.h"

namespace pliant {

const FieldTable& RigidSettings::fields() {
    using S = RigidSettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what messages and files call it; left out: rigid1, rigid2, ..."),
        field("density", &S::density, "kg/m^3", "wood 600, water 1000, steel 7800").above(0).at_most(1e6),
        field("position", &S::position, "m", "where the shape's centre begins").at_least(-1e6).at_most(1e6),
        field("rotation", &S::rotation, "degree", "turn about x, then y, then z"),
        field("velocity", &S::velocity, "m/s", "of the centre of mass at the start").at_least(-1e5).at_most(1e5),
        field("angular_velocity", &S::angular_velocity, "rad/s", "at the start, about the centre of mass")
            .at_least(-1e5)
            .at_most(1e5),
        field("friction", &S::friction, "", "Coulomb's coefficient").at_least(0).at_most(100),
        field("restitution", &S::restitution, "", "of a bounce: 0 stays down, 1 comes back as fast as it came")
            .at_least(0)
            .at_most(1),
        field("colour", &S::colour, "", "as drawn, \"#rrggbb\"; empty: grey"),
    };
    return table;
}

RigidModel::RigidModel(const RigidSettings& settings, const ShapeContext& context)
    : name(settings.name),
      shape(build_shape(settings.shape, context)),
      density(settings.density),
      place{settings.position, rotation_from_degrees(settings.rotation)},
      velocity(settings.velocity),
      angular_velocity(settings.angular_velocity),
      friction(settings.friction),
      restitution(settings.restitution) {
    if (!shape->is_bounded()) throw InputError("a shape without end has no mass: use a box, or make it a collider");
}

}  // namespace pliant
