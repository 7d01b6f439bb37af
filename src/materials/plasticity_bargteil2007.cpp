#include "pliant/materials/plasticity_bargteil2007.h"

#include <cmath>

namespace pliant {
namespace {

const Real strain_of_norm = std::sqrt(2.0 / 3.0);  // |(e, -e/2, -e/2)| -> e
constexpr Real largest = 1e100;

}  // namespace

const FieldTable& Bargteil2007Plasticity::fields() {
    using S = Bargteil2007Plasticity;
    static const FieldTable table = {
        field("yield_stress", &S::yield_stress, "Pa",
              "uniaxial stress at which flow begins; pressure counts too, as in the paper")
            .at_least(0)
            .required(),
        field("flow_rate", &S::flow_rate, "1/s",
              "rate at which strain beyond yield becomes permanent; a share nu a step of dt is -log(1-nu)/dt")
            .at_least(0),
        field("hardening", &S::hardening, "Pa",
              "rise of the yield stress per unit of equivalent plastic strain; negative softens"),
    };
    return table;
}

PlasticStep Bargteil2007Plasticity::flow(const Vec3& sigma, const Vec3& P, Real alpha, Real dt) const {
    const PlasticStep no_flow{sigma, Vec3::Ones(), alpha};
    const Real size = P.norm(), yield = current_yield_stress(alpha);
    if (!(size > yield) || !(sigma.minCoeff() > 1e-4) || !(sigma.maxCoeff() < largest)) return no_flow;

    const Vec3 logarithm = sigma.array().log();
    const Vec3 d = logarithm - Vec3::Constant(logarithm.mean());
    const bool dissipates = P.cwiseProduct(sigma).dot(d) > 0;  // tau : d
    if (!dissipates) return no_flow;

    const Real r = 1 + strain_of_norm * hardening * d.norm() / size;
    const Real share = r == 0 ? flow_rate * dt : -std::expm1(-flow_rate * r * dt) / r;
    const Real gamma = std::min(share * (1 - yield / size), -std::expm1(-flow_rate * dt));
    const Vec3 flowed = gamma * d;
    return {(logarithm - flowed).array().exp(), flowed.array().exp(), alpha + strain_of_norm * flowed.norm()};
}

}  // namespace pliant
