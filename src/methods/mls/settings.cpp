#include "pliant/methods/mls/settings.h"

#include "pliant/math/kernels.h"

namespace pliant {

const FieldTable& MlsSettings::fields() {
    using S = MlsSettings;
    static const FieldTable table = {
        field("preset", &S::preset, "", "zhou2013: all as printed in [Zhou13], for comparison; what is set here wins")
            .one_of({"", "zhou2013"}),
        field("support", &S::support, "spacings",
              "radius within which particles are neighbours; 1.8 if left out, 2 for gerszewski09, 2.5 as printed")
            .at_least(1.2)
            .at_most(4),
        field("kernel", &S::kernel, "", "weight of a neighbour by distance; cosine if left out")
            .one_of({kernel_names.begin(), kernel_names.end()}),
        field("rest", &S::rest, "",
              "rest shape. fixed: as at the start; flow: follows plastic flow, with new neighbours (the default); "
              "updated: anew in every step, as printed")
            .one_of({"fixed", "flow", "updated"}),
        field("rotation", &S::rotation, "",
              "positions that give a step its rotations. current: keeps spin (the default); predicted: as printed")
            .one_of({"current", "predicted"}),
        field("stabilisation", &S::stabilisation, "",
              "penalty on motion that no deformation gradient sees, over Young's modulus; 0.1 if left out")
            .at_least(0)
            .at_most(1),
        field("tolerance", &S::tolerance, "", "implicit: relative residual at which a step counts as solved")
            .above(0)
            .at_most(0.1),
        field("implicit_step", &S::implicit_step, "s", "implicit: step that is taken when the scene gives none")
            .above(0)
            .at_most(0.1),
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

MlsSettings MlsSettings::resolved(const std::string& integrator) const {
    const bool is_printed = preset == "zhou2013", is_gerszewski = integrator == "gerszewski09";
    MlsSettings s = *this;
    if (!s.support) s.support = is_printed ? 2.5 : is_gerszewski ? 2 : 1.8;
    if (!s.kernel) s.kernel = is_gerszewski && !is_printed ? "wendland_c2" : "cosine";
    if (!s.rest) s.rest = is_printed ? "updated" : "flow";
    if (!s.rotation) s.rotation = is_printed ? "predicted" : "current";
    if (!s.stabilisation) s.stabilisation = is_printed ? 0 : 0.1;
    return s;
}

}  // namespace pliant
