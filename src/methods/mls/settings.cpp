#include "pliant/methods/mls/settings.h"

#include "pliant/math/kernels.h"

namespace pliant {

const FieldTable& MlsSettings::fields() {
    using S = MlsSettings;
    static const FieldTable table = {
        field("support", &S::support, "spacings", "radius within which particles are neighbours")
            .at_least(1.2)
            .at_most(4),
        field("kernel", &S::kernel, "", "weight of a neighbour by distance")
            .one_of({kernel_names.begin(), kernel_names.end()}),
        field("viscosity", &S::viscosity, "",
              "gerszewski09: artificial viscosity over density x sound speed x spacing; 0 is off")
            .at_least(0)
            .at_most(1),
        field("pressure", &S::pressure, "",
              "gerszewski09: SPH pressure against crowding, over the bulk modulus; 0 is off")
            .at_least(0)
            .at_most(1),
        field("contact_stiffness", &S::contact_stiffness, "", "push between two bodies, over their modulus x spacing")
            .above(0)
            .at_most(10),
        field("safety", &S::safety, "", "share of the largest stable step that is taken when the scene gives none")
            .above(0)
            .at_most(1),
    };
    return table;
}

}  // namespace pliant
