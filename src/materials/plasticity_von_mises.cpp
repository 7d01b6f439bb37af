#include "pliant/materials/plasticity_von_mises.h"

#include <cmath>

namespace pliant {
namespace {

const Real strain_of_norm = std::sqrt(2.0 / 3.0);  // |(e, -e/2, -e/2)| -> e
const Real stress_of_norm = std::sqrt(1.5);        // |dev (T, 0, 0)| -> T
constexpr Real smallest = 1e-4, largest = 1e100;
constexpr Real at_rest = 1e-9;  // so far beyond the yield stress is rounding: what has returned does not flow again
constexpr Real landed = 1e-12;  // of the stress
constexpr int most_guesses = 20;

struct Shear {
    Real equivalent;  // q = sqrt(3/2) |dev tau|
    Real along;       // sqrt(3/2) dev tau : d / |d|, the part that works in flow along d; q for Hencky's law
};

Shear shear_of(const Vec3& tau, const Vec3& d) {
    const Vec3 s = tau - Vec3::Constant(tau.mean());
    return {stress_of_norm * s.norm(), stress_of_norm * s.dot(d.normalized())};
}

// Matter before the flow of a step.
struct Trial {
    Vec3 logarithm, d, tau;
    Real strain;  // sqrt(2/3) |d|, equivalent to a bar's
    Shear shear;

    Trial(const Vec3& sigma, const Vec3& P)
        : logarithm(sigma.array().log()),
          d(logarithm - Vec3::Constant(logarithm.mean())),
          tau(P.cwiseProduct(sigma)),
          strain(strain_of_norm * d.norm()),
          shear(shear_of(tau, d)) {}

    Vec3 elastic(Real g) const { return (logarithm - g * d).array().exp(); }
    PlasticStep after(Real g, Real alpha) const { return {elastic(g), (g * d).array().exp(), alpha + g * strain}; }
};

bool is_solid(const Vec3& sigma) {
    return sigma.minCoeff() > smallest && sigma.maxCoeff() < largest;
}

bool yields(const Shear& shear, Real yield) {
    return shear.equivalent > (1 + at_rest) * yield && shear.equivalent < largest && shear.along > 0;
}

// g = (q - yield) / (q + K strain) within 0 and 1
Real secant_share(const Trial& trial, Real yield, Real hardening) {
    const Real q = trial.shear.equivalent, excess = q - yield, relief = q + hardening * trial.strain;
    return relief > excess ? excess / relief : 1;
}

// excess(g) = 0 by false position from a first guess, with the rule of Illinois that an end which stays twice counts
// half; excess(0) > 0 >= excess(1).
template <class Excess>
Real root(const Excess& excess, Real at_0, Real at_1, Real guess, Real tolerance) {
    Real low = 0, high = 1, above = at_0, below = at_1, g = guess;
    int last = 0;
    for (int k = 0; k < most_guesses; ++k) {
        const Real value = excess(g);
        if (std::abs(value) <= tolerance) break;
        const int side = value > 0 ? 1 : -1;
        if (side > 0) {
            low = g, above = value;
            if (last == side) below /= 2;
        } else {
            high = g, below = value;
            if (last == side) above /= 2;
        }
        last = side;
        g = (low * below - high * above) / (below - above);
    }
    return g;
}

}  // namespace

const FieldTable& VonMisesPlasticity::fields() {
    using S = VonMisesPlasticity;
    static const FieldTable table = {
        field("yield_stress", &S::yield_stress, "Pa",
              "uniaxial stress at which flow begins; pressure from all sides does not count")
            .at_least(0)
            .required(),
        field("hardening", &S::hardening, "Pa",
              "rise of the yield stress per unit of equivalent plastic strain; negative softens"),
        field("measure", &S::measure, "",
              "uniaxial: yield_stress and hardening are those of a bar that is pulled, as in textbooks. deviator_norm: "
              "yield_stress bounds the norm of the stress deviator and hardening is by the norm of plastic strain, as "
              "in fang2019 and its public code; the bar yields at 1.22 times that")
            .one_of({"uniaxial", "deviator_norm"}),
    };
    return table;
}

VonMisesPlasticity::Uniaxial VonMisesPlasticity::uniaxial() const {
    if (measure == "uniaxial") return {yield_stress, hardening};
    return {stress_of_norm * yield_stress, square(stress_of_norm) * hardening};
}

PlasticStep VonMisesPlasticity::flow(const Vec3& sigma, const Vec3& P, Real alpha, Real) const {
    const PlasticStep no_flow{sigma, Vec3::Ones(), alpha};
    if (!is_solid(sigma)) return no_flow;
    const Trial trial(sigma, P);
    const Uniaxial law = uniaxial();
    const Real yield = law.at(alpha);
    if (!yields(trial.shear, yield)) return no_flow;
    return trial.after(secant_share(trial, yield, law.hardening), alpha);
}

PlasticStep VonMisesPlasticity::flow(const Elasticity& elastic, const Vec3& sigma, Real alpha, Real) const {
    const PlasticStep no_flow{sigma, Vec3::Ones(), alpha};
    if (!is_solid(sigma)) return no_flow;
    const Trial trial(sigma, principal_stress(elastic, sigma));
    const Uniaxial law = uniaxial();
    const Real yield = law.at(alpha);
    if (!yields(trial.shear, yield)) return no_flow;

    // Positive as long as the matter is beyond the yield surface and flow still takes energy from it.
    const auto excess = [&](const Shear& shear, Real g) {
        return std::min(shear.equivalent - law.at(alpha + g * trial.strain), shear.along);
    };
    const auto excess_after = [&](Real g) {
        const Vec3 e = trial.elastic(g);
        return excess(shear_of(principal_stress(elastic, e).cwiseProduct(e), trial.d), g);
    };
    const Real guess = secant_share(trial, yield, law.hardening);
    const Real g = root(excess_after, excess(trial.shear, 0), excess({0, 0}, 1), guess, landed * trial.tau.norm());
    return trial.after(g, alpha);
}

}  // namespace pliant
