#include "pliant/materials/plasticity_bargteil2007.h"

#include <cmath>

namespace pliant {

const FieldTable& Bargteil2007Plasticity::fields() {
    using S = Bargteil2007Plasticity;
    static const FieldTable table = {
        field("yield_stress", &S::yield_stress, "Pa", "uniaxial stress at which flow begins").at_least(0).required(),
        field("flow_rate", &S::flow_rate, "1/s",
              "rate at which strain beyond yield becomes permanent; a share nu a step of dt is -log(1-nu)/dt")
            .at_least(0),
        field("hardening", &S::hardening, "Pa", "rise of the yield stress per unit of plastic strain; negative softens"),
    };
    return table;
}

PlasticStep Bargteil2007Plasticity::flow(const Vec3& sigma, const Vec3& P, Real alpha, Real dt) const {
    const PlasticStep no_flow{sigma, Vec3::Ones(), alpha};
    const Real excess = P.norm() - current_yield_stress(alpha);
    if (!(excess > 0) || !(sigma.minCoeff() > 1e-4)) return no_flow;

    const Real gamma = -std::expm1(-flow_rate * dt) * excess / P.norm();
    const Vec3 logarithm = sigma.array().log();
    const Vec3 flowed = gamma * (logarithm - Vec3::Constant(logarithm.mean()));
    return {(logarithm - flowed).array().exp(), flowed.array().exp(), alpha + flowed.norm()};
}

}  // namespace pliant
