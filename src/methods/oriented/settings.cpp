#include "pliant/methods/oriented/settings.h"

namespace pliant {

const FieldTable& OrientedSettings::fields() {
    using S = OrientedSettings;
    static const FieldTable table = {
        field("step", &S::step, "s", "when the scene gives no timestep; shorter steps make bodies stiffer and livelier")
            .above(0)
            .at_most(1),
        field("iterations", &S::iterations, "", "sweeps a step; a shorter step is worth more than more of them")
            .at_least(1)
            .at_most(1000),
        field("stiffness", &S::stiffness, "",
              "0 to 1: share of the way to the matched shape that a sweep goes, as in [Mueller11], so that stiffness "
              "depends on step and iterations; left out: from the material's Young's modulus")
            .at_least(0)
            .at_most(1),
        field("torsion", &S::torsion, "", "0 to 1: how much two linked particles resist turning against each other")
            .at_least(0)
            .at_most(1),
        field("stretch", &S::stretch, "", "0 to 1: how much links keep their length, beside the matching of shapes")
            .at_least(0)
            .at_most(1),
        field("damping", &S::damping, "1/s", "rate at which motion within a body dies away; its flight and spin stay")
            .at_least(0)
            .at_most(1e6),
        field("yield", &S::yield, "", "strain beyond which shapes stay bent, with creep").at_least(0).at_most(10),
        field("creep", &S::creep, "1/s", "rate at which strain beyond yield becomes permanent; 0: never")
            .at_least(0)
            .at_most(1e6),
        field("dent_steps", &S::dent_steps, "steps", "for which a group of a rig is soft after a hit that dents it")
            .at_least(1)
            .at_most(100000),
        field("self_collision", &S::self_collision, "", "whether a body touches itself"),
        field("keeps_spin", &S::keeps_spin, "",
              "rigid groups, and bodies as a whole, turn exactly; false: as in [Mueller11], which brakes them"),
    };
    return table;
}

}  // namespace pliant
