#include "pliant/materials/viscous.h"

namespace pliant {

const FieldTable& Viscous::fields() {
    using S = Viscous;
    static const FieldTable table = {
        field("shear", &S::shear, "Pa", "shear modulus of the part that relaxes, on top of the elastic one")
            .above(0)
            .at_most(1e13)
            .required(),
        field("bulk", &S::bulk, "Pa", "its bulk modulus; 0: volume is the elastic part's alone")
            .at_least(0)
            .at_most(1e13),
        field("viscosity", &S::viscosity, "Pa s", "dynamic viscosity; over the shear modulus it is the relaxation time")
            .above(0)
            .required(),
        field("bulk_viscosity", &S::bulk_viscosity, "Pa s",
              "of changes of volume; if left out volume relaxes as fast as shape")
            .above(0),
    };
    return table;
}

}  // namespace pliant
