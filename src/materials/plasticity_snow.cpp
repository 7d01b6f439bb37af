#include "pliant/materials/plasticity_snow.h"

namespace pliant {

const FieldTable& SnowPlasticity::fields() {
    using S = SnowPlasticity;
    static const FieldTable table = {
        field("critical_compression", &S::critical_compression, "",
              "strain at which it packs; lower for dry and powdery, higher for wet and chunky snow")
            .above(0)
            .at_most(0.5),
        field("critical_stretch", &S::critical_stretch, "",
              "strain at which it breaks; lower for dry and powdery, higher for wet and chunky snow")
            .above(0)
            .at_most(0.5),
        field("hardening", &S::hardening, "",
              "how fast packed snow stiffens: packed by a tenth it is exp(hardening / 10) times as stiff")
            .at_least(0)
            .at_most(20),
    };
    return table;
}

}  // namespace pliant
