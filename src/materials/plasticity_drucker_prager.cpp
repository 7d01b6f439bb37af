#include "pliant/materials/plasticity_drucker_prager.h"

namespace pliant {

const FieldTable& DruckerPragerPlasticity::fields() {
    using S = DruckerPragerPlasticity;
    static const FieldTable table = {
        field("friction_angle", &S::friction_angle, "degree", "of internal friction; dry sand 30 to 35")
            .at_least(0)
            .at_most(60),
        field("cohesion", &S::cohesion, "Pa", "stress from all sides that it takes to pull it apart; dry sand 0")
            .at_least(0),
        field("volume_correction", &S::volume_correction, "",
              "what was pulled apart must close again before it bears; false: it bears at once, and swells"),
        field("cone", &S::cone, "",
              "mohr_coulomb: six-sided, the angle holds however it is loaded. Round ones are exact in one case: "
              "plane_strain between walls, compression in a pressed cylinder, and too strong elsewhere")
            .one_of({"mohr_coulomb", "plane_strain", "compression"}),
    };
    return table;
}

}  // namespace pliant
