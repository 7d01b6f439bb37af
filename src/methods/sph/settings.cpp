#include "pliant/methods/sph/settings.h"

namespace pliant {

const FieldTable& SphSettings::fields() {
    using S = SphSettings;
    static const FieldTable table = {
        field("elasticity", &S::elasticity, "",
              "of solids. peer2018: implicit, with rotations; prefactored: the same motion, with a matrix that is "
              "factored once and must fit into memory; becker2009: explicit, with rotations, gradients uncorrected; "
              "stvk: explicit, Green's strain")
            .one_of({"peer2018", "prefactored", "becker2009", "stvk"}),
        field("correction", &S::correction, "",
              "peer2018: gradients that reproduce every affine motion; false only to see what it is good for"),
        field("zero_energy", &S::zero_energy, "",
              "stiffness against motion that no gradient sees, over the shear modulus; if left out 0.3 for bodies that "
              "are one particle thin somewhere, and 0.1 for the others; 0 as printed")
            .at_least(0)
            .at_most(10),
        field("tolerance", &S::tolerance, "m/s", "error of velocity, on average, at which the elastic solve ends")
            .above(0)
            .at_most(1),
        field("relative_tolerance", &S::relative_tolerance, "",
              "elastic solve ends by the residual over the impulse of elastic forces and obstacles, in place of "
              "`tolerance`")
            .above(0)
            .at_most(0.5),
        field("preconditioner", &S::preconditioner, "",
              "of the elastic solve. none; grid: two levels; auto: grid for stiff bodies and long steps")
            .one_of({"auto", "none", "grid"}),
        field("damping", &S::damping, "1/s", "how fast velocities of neighbours in a solid become alike").at_least(0),
        field("pressure", &S::pressure, "",
              "false: no pressure, hence no contact, no liquids and no [[field]]; for tests"),
        field("density_error", &S::density_error, "",
              "compression, on average over what is under pressure, that pressure may leave in 10 ms")
            .above(0)
            .at_most(0.1),
        field("most_pressure_iterations", &S::most_pressure_iterations, "", "of a pressure solve").at_least(2),
        field("largest_step", &S::largest_step, "s", "longest step that is taken when the scene gives none")
            .above(0)
            .at_most(0.1),
        field("cfl", &S::cfl, "", "spacings that nothing crosses in a step when the scene gives none")
            .above(0)
            .at_most(1),
    };
    return table;
}

}  // namespace pliant
