#include "pliant/scene/fluid.h"

namespace pliant {

const FieldTable& FluidSettings::fields() {
    using S = FluidSettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what messages and files call it; left out: fluid1, fluid2, ..."),
        field("density", &S::density, "kg/m^3", "at rest").above(0).at_most(1e6),
        field("viscosity", &S::viscosity, "Pa s", "dynamic viscosity: water 0.001, oil 0.1, honey 10")
            .at_least(0)
            .at_most(1e6),
        field("surface_tension", &S::surface_tension, "N/m", "of its surface against air: water 0.072; 0: none")
            .at_least(0)
            .at_most(1e3),
        field("spacing", &S::spacing, "m", "between particles").above(0).at_most(1e3).required(),
        field("sampling", &S::sampling, "", "how particles fill the shape").one_of({"cubic", "bcc", "blue_noise"}),
        field("seed", &S::seed, "", "another number gives another blue noise").at_least(0),
        field("position", &S::position, "m", "where the shape's centre begins").at_least(-1e6).at_most(1e6),
        field("rotation", &S::rotation, "degree", "turn about x, then y, then z"),
        field("velocity", &S::velocity, "m/s", "at the start").at_least(-1e5).at_most(1e5),
        field("colour", &S::colour, "", "as drawn, \"#rrggbb\"; empty: a watery blue"),
        field("clear", &S::clear, "", "drawn so that what is in it is seen, in render.style \"surface\""),
    };
    return table;
}

}  // namespace pliant
